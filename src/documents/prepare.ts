import { createHash } from 'node:crypto';
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  NoFragmentCyclesRule,
  NoUnusedVariablesRule,
  type OperationDefinitionNode,
  print,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import { NAME_LENGTH } from '../domain/usage.js';
import { digestText } from '../lib/digest.js';
import type { OperationText } from '../serve/call.js';
import { DocumentError, truncatedMessage } from './document-error.js';
import { Executable, isCompilable } from './executable.js';
import { checkIntrospection, type IntrospectionResult, type IntrospectionResults } from './introspection.js';
import { type Plan, planOperation } from './planner.js';
import { measure, type ReadDocument, readDocument } from './read-document.js';
import { isIntrospection, type Shape } from './shape.js';
import { coerced } from './variables.js';

/** The result of an operation; also as JSON, if it was made once for all callers. */
export type Executed = ExecutionResult & Partial<Pick<IntrospectionResult, 'dataText'>>;

/** A checked operation. */
export interface Operation extends Plan, OperationText {
  /** The name in the ledger: the persisted name, `introspection`, the operation's own name, or `query`. */
  readonly name: string;
  /** Whether the operation is persisted, so its name was not chosen by a caller. */
  readonly isPersisted: boolean;
  readonly kind: OperationDefinitionNode['operation'];
  /** Introspection only: needs no key. */
  readonly keyless: boolean;
  /** The variables with defaults applied. Throws if they are invalid. */
  readonly coerce: (variables: Record<string, unknown>) => Record<string, unknown>;
  readonly run: (context: unknown, variables: Record<string, unknown>) => Promise<Executed>;
  /** Estimated bytes of memory that it takes now, rounded up. */
  readonly weight: () => number;
}

/**
 * Called before anything else is done, with whether the operation is only introspection. Throws if it is not allowed.
 */
export type AssertAdmitted = (keyless: boolean) => void;

export interface DocumentSource {
  /** Identifies the operation: the SHA-256 of its text and the chosen operation name. */
  readonly id: string;
  readonly text: string;
  readonly operationName: string | null;
  readonly isPersisted: boolean;
  /** The name, if the operation is persisted. */
  readonly name?: string;
  /** Whether to compile it now, instead of on its second run. */
  readonly isCompiled?: boolean;
  readonly assertAdmitted?: AssertAdmitted;
  /** Finds introspection that was prepared before and differs only in white space and name. */
  readonly findEquivalent?: (normalised: string) => Operation | undefined;
  /** Called once the operation has been compiled and weighs more. */
  readonly onCompiled?: () => void;
}

/** What all operations share. */
export interface PrepareContext {
  readonly schema: GraphQLSchema;
  readonly results: IntrospectionResults;
}

// The weight of an operation: measured, and rounded up.
const BASE = 8192;
const CHARACTER = 4;
const TOKEN = 300;
const FIELD = 1000;
const COMPILED_FIELD = 3500;

/** The name of all introspection, whatever its sender named it, because all callers share the same operation. */
const INTROSPECTION = 'introspection';

const RULES = specifiedRules.filter((rule) => rule !== NoUnusedVariablesRule);

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Parses, measures, checks and plans an operation, in this order: each step bounds the time that the next ones take.
 * Throws `DocumentError`.
 */
export function prepareOperation({ schema, results }: PrepareContext, source: DocumentSource): Operation {
  const { text, operationName } = source;
  const read = readDocument(text);
  const { document, fragments, tokens } = read;
  const operation = getOperationAST(document, operationName);
  if (!operation) throw DocumentError.of(whichOperation(operationName));
  const keyless = isIntrospection(operation);
  source.assertAdmitted?.(keyless);
  // Tools write the same introspection in many ways; it is checked, measured and executed once for all of them.
  const normalised = keyless && isAlone(document) ? digestText(print(withoutName(document, operation))) : null;
  const equivalent = normalised === null ? undefined : source.findEquivalent?.(normalised);
  if (equivalent) return equivalent;
  const shape = check(schema, read, operation, source);
  const { fields } = shape;
  checkIntrospection(schema, operation, fragments);
  const mayCompile = isCompilable(shape);
  const executable = new Executable({ schema, document, operationName, mayCompile }, source.onCompiled);
  if (source.isCompiled && mayCompile) executable.compile();
  const plan = planOperation(schema, operation, fragments);
  // A long alias is part of the path of every field below it.
  const pathLength = [...plan.fieldPaths].flat().reduce((sum, path) => sum + path.length, 0);
  const locations = read.locations.of((operation.variableDefinitions ?? []).flatMap((each) => [each, each.type]));
  return {
    id: normalised ?? source.id,
    text: read.isShorter ? print(document) : text,
    operationName,
    mayCompile,
    name:
      source.name ?? (keyless ? INTROSPECTION : (operation.name?.value ?? operation.operation)).slice(0, NAME_LENGTH),
    isPersisted: source.isPersisted,
    kind: operation.operation,
    keyless,
    coerce: (variables) => coerced(schema, operation, locations, variables),
    ...plan,
    run: keyless
      ? async (_context, variables) =>
          results.of(normalised ?? source.id, variables, () => executable.interpret(variables))
      : async (context, variables) => executable.run(context, variables),
    weight: () =>
      BASE +
      CHARACTER * (text.length + pathLength) +
      TOKEN * tokens +
      fields * (FIELD + (executable.isCompiled ? COMPILED_FIELD : 0)),
  };
}

const isAlone = ({ definitions }: DocumentNode): boolean =>
  definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length === 1;

function withoutName(document: DocumentNode, operation: OperationDefinitionNode): DocumentNode {
  const { name: _, ...nameless } = operation;
  return { ...document, definitions: document.definitions.map((node) => (node === operation ? nameless : node)) };
}

/**
 * Validates the operation and returns its shape. A document that parses but does not fit the schema gets
 * 422; unused variables get 400, because they may equally be a fault of the request.
 */
function check(
  schema: GraphQLSchema,
  read: ReadDocument,
  operation: OperationDefinitionNode,
  source: DocumentSource,
): Shape {
  const shape = measure(read, operation, source);
  const validateWith = (rules: readonly ValidationRule[]): GraphQLError[] =>
    validate(schema, read.document, rules, { maxErrors: 10 }).map((error) => read.locations.locate(error));
  const faults = validateWith(shape === 'circular' ? [NoFragmentCyclesRule] : RULES);
  if (faults.length > 0 || shape === 'circular') throw new DocumentError(faults, 422);
  const unused = validateWith([NoUnusedVariablesRule]);
  if (unused.length > 0) throw new DocumentError(unused);
  return shape;
}

const whichOperation = (name: string | null): string =>
  name === null
    ? 'The document has no operation, or more than one: choose one with operationName.'
    : `The document has no operation ${JSON.stringify(truncatedMessage(name))}.`;
