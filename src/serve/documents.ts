import { createHash } from 'node:crypto';
import {
  type ExecutionResult,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  NoUnusedVariablesRule,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { badRequest, ServiceError } from '../core/errors.js';
import type { Document, OperationText } from './call.js';
import { isIntrospection, LIMITS, shapeLimits } from './limits.js';
import { type Plan, planOf } from './planner.js';
import type { Checks } from './rules.js';

/** A checked and compiled operation. */
export interface Operation extends Plan, OperationText {
  /** The persisted name, or the operation's own, or `query`: what the ledger calls it. */
  readonly name: string;
  /** Persisted: its name is not a caller's own. */
  readonly isOurs: boolean;
  readonly kind: OperationDefinitionNode['operation'];
  /** Tells it from every other operation: the SHA-256 of what was asked for. */
  readonly id: string;
  /** Introspection only: needs no key (G2). */
  readonly keyless: boolean;
  /** The variables with defaults applied, or what is wrong with them. */
  readonly coerce: (variables: Record<string, unknown>) => Record<string, unknown>;
  readonly run: (context: unknown, variables: Record<string, unknown>) => Promise<ExecutionResult>;
}

/** The text of a document is wrong; the errors say where. */
export class DocumentError extends ServiceError {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[], status?: number) {
    super('bad_request', errors[0]?.message ?? 'The document is not valid.', status === undefined ? {} : { status });
    this.errors = errors;
  }
}

const TEXTS_KEPT = 1000;

const RULES = specifiedRules.filter((rule) => rule !== NoUnusedVariablesRule);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Persisted operations by name and hash, and other texts by themselves: each parsed, checked and compiled once. */
export class Documents {
  readonly #schema: GraphQLSchema;
  readonly #checks: Checks;
  readonly #named = new Map<string, Operation>();
  readonly #hashed = new Map<string, Operation>();
  readonly #texts = new LRUCache<string, Operation>({ max: TEXTS_KEPT });

  /** Throws when a persisted text is not valid: at start, not at the first call. */
  constructor(schema: GraphQLSchema, persisted: Readonly<Record<string, string>>, checks: Checks) {
    this.#schema = schema;
    this.#checks = checks;
    for (const [name, text] of Object.entries(persisted)) {
      const operation = compile(schema, checks, text, null, { isOurs: true, name });
      this.#named.set(name, operation);
      this.#hashed.set(sha256(text), operation);
    }
  }

  /** Throws `DocumentError` for a text that is wrong, `bad_request` for a hash or name that is not persisted (U52). */
  find(document: Document): Operation {
    if ('name' in document) return this.#byName(document.name);
    if ('sha256' in document) return this.#byHash(document.sha256);
    return this.#byText(document.text, document.operationName ?? null);
  }

  #byName(name: string): Operation {
    const operation = this.#named.get(name);
    if (operation) return operation;
    throw badRequest(`There is no persisted operation ${JSON.stringify(name)}.`, 'documentId');
  }

  #byHash(sha256: string): Operation {
    const operation = this.#hashed.get(sha256);
    if (operation) return operation;
    const error = new GraphQLError('PersistedQueryNotFound', { extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } });
    throw new DocumentError([error]);
  }

  #byText(text: string, operationName: string | null): Operation {
    const key = `${operationName ?? ''}\n${text}`;
    let operation = this.#texts.get(key);
    if (!operation) {
      // A text of our own is ours whoever sends it.
      const isOurs = this.#hashed.has(sha256(text));
      operation = compile(this.#schema, this.#checks, text, operationName, { isOurs });
      this.#texts.set(key, operation);
    }
    return operation;
  }
}

function compile(
  schema: GraphQLSchema,
  checks: Checks,
  text: string,
  operationName: string | null,
  source: { isOurs: boolean; name?: string },
): Operation {
  if (Buffer.byteLength(text) > LIMITS.bytes) {
    throw new DocumentError([new GraphQLError(`The document is larger than ${LIMITS.bytes} bytes.`)]);
  }
  const document = parsed(text);
  // The limits of shape are for callers: our own documents are read by people before they are persisted.
  const rules = source.isOurs ? RULES : [...RULES, shapeLimits];
  // It can be read, and asks for what there is not: 422, but for variables, which are the request's as much (G6).
  const faults = validate(schema, document, rules, { maxErrors: 10 });
  if (faults.length > 0) throw new DocumentError(faults, 422);
  const unused = validate(schema, document, [NoUnusedVariablesRule]);
  if (unused.length > 0) throw new DocumentError(unused);
  const operation = getOperationAST(document, operationName);
  if (!operation) throw new DocumentError([new GraphQLError(whichOperation(operationName))]);
  // graphql-jit makes one function of an operation: 3 to 4 times graphql-js on pages of 20 and 200.
  const compiled = compileQuery(schema, document, operationName ?? undefined, {
    useExperimentalPathBasedSkipInclude: true,
  });
  if (!isCompiledQuery(compiled)) throw new DocumentError(compiled.errors ?? []);
  const fragments: Record<string, FragmentDefinitionNode> = {};
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments[node.name.value] = node;
  const keyless = isIntrospection(operation);
  return {
    id: sha256(`${operationName ?? ''}\n${text}`),
    text,
    operationName,
    name: source.name ?? operation.name?.value ?? operation.operation,
    isOurs: source.isOurs,
    kind: operation.operation,
    keyless,
    coerce: (variables) => coerced(schema, operation, variables),
    ...planOf(schema, operation, fragments, checks),
    run: async (context, variables) => compiled.query(null, context, variables),
  };
}

const whichOperation = (name: string | null): string =>
  name === null
    ? 'The document has no operation, or several: name one with operationName.'
    : `The document has no operation ${JSON.stringify(name)}.`;

function parsed(text: string) {
  try {
    return parse(text, { maxTokens: LIMITS.tokens });
  } catch (error) {
    throw new DocumentError([error instanceof GraphQLError ? error : new GraphQLError('The document cannot be read.')]);
  }
}

function coerced(schema: GraphQLSchema, operation: OperationDefinitionNode, variables: Record<string, unknown>) {
  const result = getVariableValues(schema, operation.variableDefinitions ?? [], variables, { maxErrors: 10 });
  if (result.errors) throw new DocumentError(result.errors);
  return result.coerced;
}
