import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/**
 * The number of fields selected below this one, with fragments expanded: a measure of the work to complete one row of a
 * list. `name`: counts only fields of that name, under any alias.
 */
export const selectedFields = ({ fieldNodes, fragments }: GraphQLResolveInfo, name?: string): number =>
  fieldNodes.reduce((sum, { selectionSet }) => sum + countFields(selectionSet, fragments, name), 0);

const countFields = (
  set: SelectionSetNode | undefined,
  fragments: GraphQLResolveInfo['fragments'],
  name: string | undefined,
): number =>
  (set?.selections ?? []).reduce((sum, selection) => {
    if (selection.kind === Kind.FIELD) {
      const own = name === undefined || selection.name.value === name ? 1 : 0;
      return sum + own + countFields(selection.selectionSet, fragments, name);
    }
    const { selectionSet } =
      selection.kind === Kind.FRAGMENT_SPREAD ? (fragments[selection.name.value] ?? {}) : selection;
    return sum + countFields(selectionSet, fragments, name);
  }, 0);
