import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/**
 * The number of fields selected below this one, with fragments expanded: a measure of the work to complete one row of a
 * list.
 */
export const selectedFields = ({ fieldNodes, fragments }: GraphQLResolveInfo): number =>
  fieldNodes.reduce((sum, { selectionSet }) => sum + countFields(selectionSet, fragments), 0);

const countFields = (set: SelectionSetNode | undefined, fragments: GraphQLResolveInfo['fragments']): number =>
  (set?.selections ?? []).reduce((sum, selection) => {
    if (selection.kind === Kind.FIELD) return sum + 1 + countFields(selection.selectionSet, fragments);
    const { selectionSet } =
      selection.kind === Kind.FRAGMENT_SPREAD ? (fragments[selection.name.value] ?? {}) : selection;
    return sum + countFields(selectionSet, fragments);
  }, 0);
