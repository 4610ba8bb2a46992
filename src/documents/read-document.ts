import {
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionNode,
  Source,
  visit,
} from 'graphql';
import { DocumentError, NodeLocations } from './document-error.js';
import { LIMITS, refuseOver } from './limits.js';
import { collectFragments, countComparisons, type Fragments, isIntrospection, type Shape, Shapes } from './shape.js';

/** A document that parses and whose size is within bounds; nothing else about it has been checked. */
export interface ReadDocument {
  readonly document: DocumentNode;
  /** Whether repeated fields were removed from the document. */
  readonly isShorter: boolean;
  readonly fragments: Fragments;
  readonly locations: NodeLocations;
  /** Number of tokens in the text. */
  readonly tokens: number;
}

/** Parses a text, in bounded time. Throws `DocumentError` (400). */
export function readDocument(text: string): ReadDocument {
  const bytes = Buffer.byteLength(text);
  if (bytes > LIMITS.bytes) {
    throw DocumentError.of(`The document is larger than ${LIMITS.bytes} bytes: it has ${bytes}.`);
  }
  const source = new Source(text);
  refuseOver(linesIn(text), LIMITS.lines, 'The document has', 'lines');
  const written = parsed(source);
  const operations = written.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  refuseOver(operations.length, LIMITS.operations, 'The document has', 'operations');
  const document = withoutRepeats(written);
  return {
    document,
    isShorter: document !== written,
    fragments: collectFragments(document),
    locations: new NodeLocations(source),
    tokens: written.tokenCount ?? LIMITS.tokens,
  };
}

function linesIn(text: string): number {
  let lines = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13) lines += 1;
  }
  return lines;
}

function parsed(source: Source): DocumentNode {
  try {
    return parse(source, { maxTokens: LIMITS.tokens });
  } catch (error) {
    throw new DocumentError([
      error instanceof GraphQLError ? error : new GraphQLError('The document cannot be parsed.'),
    ]);
  }
}

/**
 * Removes repeated plain fields from each selection set, because they add nothing. Repeated spreads of a fragment stay,
 * and each counts.
 */
function withoutRepeats(document: DocumentNode): DocumentNode {
  return visit(document, {
    SelectionSet: {
      leave(set) {
        const names = new Set<string>();
        const selections = set.selections.filter((selection) => {
          const name = plainFieldName(selection);
          if (name === undefined) return true;
          const isNew = !names.has(name);
          names.add(name);
          return isNew;
        });
        return selections.length === set.selections.length ? undefined : { ...set, selections };
      },
    },
  });
}

/** The field's name; undefined for a field with an alias, arguments, directives or a selection set. */
function plainFieldName(node: SelectionNode): string | undefined {
  if (node.directives && node.directives.length > 0) return undefined;
  if (node.kind !== Kind.FIELD || node.alias || node.selectionSet || node.arguments?.length) return undefined;
  return node.name.value;
}

/**
 * Checks, in time linear in the text, that the document is small enough to be validated, planned and executed. Returns
 * the shape of the operation, or `circular` if its fragments are. Throws `DocumentError` (400), which says which bound
 * was exceeded and by how much.
 */
export function measure(
  { document, fragments, locations }: ReadDocument,
  operation: OperationDefinitionNode,
  { isPersisted }: { isPersisted: boolean },
): Shape | 'circular' {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  refuseOver(fragments.size, LIMITS.fragments, 'The document has', 'fragments');
  const shapes = new Shapes(fragments);
  const all = operations.map((node) => ({ node, shape: shapes.of(node.selectionSet) }));
  const everything = [...all, ...shapes.rest()];
  checkValues(document, locations);
  if (shapes.isCircular) {
    detachLocations(document, locations);
    return 'circular';
  }
  // The shape limits are for callers: Perch's own documents are reviewed by people before they are persisted.
  if (!isPersisted) for (const { node, shape } of all) checkShape(node, shape);
  const selections = everything.reduce((sum, { shape }) => sum + shape.selections, 0);
  refuseOver(selections, LIMITS.selections, 'With its fragments expanded, the document has', 'selections');
  let comparisons = 0;
  for (const { node } of everything) comparisons += countComparisons([node.selectionSet], fragments);
  if (comparisons > LIMITS.comparisons) {
    throw DocumentError.of(
      `Fields with the same name would have to be compared ${comparisons.toLocaleString('en-US')} times; at most ${LIMITS.comparisons.toLocaleString('en-US')} are allowed. Select each field once per selection set, or use aliases.`,
    );
  }
  detachLocations(document, locations);
  return all.find(({ node }) => node === operation)?.shape ?? shapes.of(operation.selectionSet);
}

function checkShape(node: OperationDefinitionNode, { depth, aliases, width, fields }: Shape): void {
  const levels = isIntrospection(node) ? LIMITS.introspectionDepth : LIMITS.depth;
  refuseOver(depth, levels, 'The operation is nested', 'levels deep');
  refuseOver(aliases, LIMITS.aliases, 'The operation has', 'aliases');
  refuseOver(width, LIMITS.rootFields, 'The operation has', 'root fields');
  refuseOver(fields, LIMITS.fields, 'The operation has', 'fields with its fragments expanded');
  refuseOver(node.variableDefinitions?.length ?? 0, LIMITS.variables, 'The operation has', 'variables');
}

/** Checks how deeply values are nested, and refuses the one name that cannot be an ordinary property in JavaScript. */
function checkValues(document: DocumentNode, locations: NodeLocations): void {
  let depth = 0;
  const nested = {
    enter() {
      depth += 1;
      refuseOver(depth, LIMITS.valueDepth, 'A value is nested', 'levels deep');
    },
    leave() {
      depth -= 1;
    },
  };
  visit(document, {
    ListValue: nested,
    ObjectValue: nested,
    ListType: nested,
    Name(node) {
      if (node.value !== '__proto__') return;
      locations.add(node, node.loc?.start ?? 0);
      throw new DocumentError([
        locations.locate(new GraphQLError('__proto__ is not allowed as a name.', { nodes: node })),
      ]);
    },
  });
}

/** Removes the locations from the nodes themselves. */
function detachLocations(document: DocumentNode, locations: NodeLocations): void {
  visit(document, {
    enter(node: ASTNode) {
      if (node.loc) locations.add(node, node.loc.start);
      (node as { loc?: unknown }).loc = undefined;
    },
  });
}
