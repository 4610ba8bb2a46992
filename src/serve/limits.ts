import {
  type ASTVisitor,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';

/** How large a document may be (G11). */
export const LIMITS = {
  depth: 10,
  aliases: 30,
  rootFields: 10,
  tokens: 2000,
  bytes: 32 * 1024,
} as const;

interface Shape {
  depth: number;
  aliases: number;
  /** Fields on the first level, those of fragments included. */
  width: number;
}

const NOTHING: Shape = { depth: 0, aliases: 0, width: 0 };

/** A validation rule beside the specified ones: depth, aliases, root fields (G11). Introspection is not measured. */
export function shapeLimits(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(operation: OperationDefinitionNode) {
      if (isIntrospection(operation)) return;
      const { depth, aliases, width } = shapeOf(operation.selectionSet, context, new Set());
      refuse(context, operation, 'is nested', depth, LIMITS.depth, 'levels deep');
      refuse(context, operation, 'has', aliases, LIMITS.aliases, 'aliases');
      refuse(context, operation, 'has', width, LIMITS.rootFields, 'root fields');
    },
  };
}

function refuse(
  context: ValidationContext,
  node: OperationDefinitionNode,
  verb: string,
  value: number,
  limit: number,
  what: string,
): void {
  if (value <= limit) return;
  context.reportError(
    new GraphQLError(`The operation ${verb} ${value} ${what}; at most ${limit} are taken.`, { nodes: node }),
  );
}

/** Only `__schema`, `__type` and `__typename`: public documentation, open to all (G2, U44). */
export const isIntrospection = (operation: OperationDefinitionNode): boolean =>
  operation.selectionSet.selections.every(
    (selection) => selection.kind === Kind.FIELD && selection.name.value.startsWith('__'),
  );

function shapeOf(set: SelectionSetNode, context: ValidationContext, within: Set<string>): Shape {
  const shape = { ...NOTHING };
  for (const selection of set.selections) {
    let inner = NOTHING;
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      inner = shapeOfFragment(context.getFragment(selection.name.value), context, within);
    } else if (selection.selectionSet) {
      inner = shapeOf(selection.selectionSet, context, within);
    }
    const isField = selection.kind === Kind.FIELD;
    shape.depth = Math.max(shape.depth, inner.depth + (isField ? 1 : 0));
    shape.aliases += inner.aliases + (isField && selection.alias ? 1 : 0);
    shape.width += isField ? 1 : inner.width;
  }
  return shape;
}

/** A fragment inside itself is another rule's to report; here it only must not go round for ever. */
function shapeOfFragment(
  fragment: FragmentDefinitionNode | null | undefined,
  context: ValidationContext,
  within: Set<string>,
): Shape {
  if (!fragment || within.has(fragment.name.value)) return NOTHING;
  return shapeOf(fragment.selectionSet, context, new Set(within).add(fragment.name.value));
}
