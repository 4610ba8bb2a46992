import { type ASTNode, GraphQLError, type Source } from 'graphql';
import { ServiceError } from '../domain/errors.js';

/** Most errors in one answer. */
const MAX_ERRORS = 10;
/** Most characters of a message: it may repeat the caller's own text. */
const MAX_MESSAGE = 300;
/** Most positions in the document that one error points to. */
const MAX_PLACES = 5;

/** An invalid document. The errors say where; they are few and short, however large the document is. */
export class DocumentError extends ServiceError {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[], status?: number) {
    const few = errors.slice(0, MAX_ERRORS).map(short);
    super('bad_request', few[0]?.message ?? 'Invalid document.', status === undefined ? {} : { status });
    this.errors = few;
  }

  static of(message: string, status?: number): DocumentError {
    return new DocumentError([new GraphQLError(message)], status);
  }
}

/** Text from a caller, cut to what fits in a message. */
export const truncatedMessage = (text: string): string =>
  text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE - 1)}…`;

function short(error: GraphQLError): GraphQLError {
  const isShort = error.message.length <= MAX_MESSAGE && (error.positions?.length ?? 0) <= MAX_PLACES;
  if (isShort) return error;
  return new GraphQLError(truncatedMessage(error.message), {
    ...(error.source && error.positions && { source: error.source, positions: error.positions.slice(0, MAX_PLACES) }),
    extensions: error.extensions,
  });
}

/**
 * The positions in the text at which nodes begin. Kept apart from the nodes: for an error whose nodes have locations,
 * graphql-js counts lines once per node, and there may be hundreds.
 */
export class NodeLocations {
  readonly #source: Source;
  readonly #starts = new Map<ASTNode, number>();

  constructor(source: Source) {
    this.#source = source;
  }

  add(node: ASTNode, start: number): void {
    this.#starts.set(node, start);
  }

  /** The locations of these nodes only, which are needed later. */
  of(nodes: readonly ASTNode[]): NodeLocations {
    const some = new NodeLocations(this.#source);
    for (const node of nodes) some.add(node, this.#starts.get(node) ?? 0);
    return some;
  }

  /** The error with positions in the text. */
  locate(error: GraphQLError): GraphQLError {
    const positions = (error.nodes ?? []).slice(0, MAX_PLACES).flatMap((node) => this.#starts.get(node) ?? []);
    if (positions.length === 0) return error;
    return new GraphQLError(truncatedMessage(error.message), {
      source: this.#source,
      positions,
      extensions: error.extensions,
    });
  }
}
