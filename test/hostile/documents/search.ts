/** Searches for the accepted document that costs most, by varying those that cost most so far. */
import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  responsePathAsArray,
} from 'graphql';
import { schema } from '../../../schema/index.js';
import { Documents } from '../../../src/documents/documents.js';
import { ServiceError } from '../../../src/domain/errors.js';
import { ANYTHING_GOES } from '../../kit/checks.js';
import { anyGenome, documentFrom, type Genome, type GraphqlRequest, like, randomFrom } from './generate.js';
import { WORST } from './worst.js';

/** The paid fields that a run read, with their arguments. */
type Reads = string[];

/** The schema over a network that has everything: an object for each field, two for each list. */
const everything = mapSchema(schema, {
  [MapperKind.OBJECT_FIELD]: (field) => ({
    ...field,
    resolve(_parent, args, reads: Reads, { path }) {
      if (field.extensions?.price !== undefined)
        reads.push(`${responsePathAsArray(path).join('.')} ${JSON.stringify(Object.entries(args).sort())}`);
      return someOf(field.type);
    },
  }),
});

const SCALARS: Readonly<Record<string, unknown>> = { Boolean: true, String: 'text', ID: '1', DateTime: 0 };

function someOf(type: GraphQLOutputType, member = 'Tweet'): unknown {
  if (isNonNullType(type)) return someOf(type.ofType, member);
  if (isListType(type)) return [someOf(type.ofType), someOf(type.ofType, 'User')];
  const named = getNamedType(type);
  if (isEnumType(named)) return named.getValues()[0]?.value;
  return isLeafType(named) ? (SCALARS[named.name] ?? 1) : { __typename: member, id: '1' };
}

/** The cost of one document. Times are milliseconds of processor time, of the first try. */
export interface Found {
  readonly request: GraphqlRequest;
  readonly genome: Genome | null;
  /** The refusal; null if it was accepted. Anything but a ServiceError is thrown. */
  readonly refusal: string | null;
  /** To parse, measure, validate, plan and price it, or to refuse it. */
  readonly prepareMs: number;
  /** To interpret it, and to compile and execute it, over that network. */
  readonly firstRunMs: number;
  readonly secondRunMs: number;
  readonly answerBytes: number;
  /** The most that it could cost, in thousandths. */
  readonly price: number;
  readonly weight: number;
  /** Whether the second run was compiled. */
  readonly mayCompile: boolean;
}

/** Tries a document as a caller with a key would send it. Throws faults of the service. */
export async function tryDocument(request: GraphqlRequest, genome: Genome | null = null): Promise<Found> {
  const documents = new Documents(everything);
  const nothing = {
    request,
    genome,
    firstRunMs: 0,
    secondRunMs: 0,
    answerBytes: 0,
    price: 0,
    weight: 0,
    mayCompile: false,
  };
  const start = processorMs();
  try {
    const operation = documents.find({ text: request.query, operationName: request.operationName });
    const variables = operation.coerce(request.variables);
    const { amount } = operation.worst(variables, ANYTHING_GOES);
    const prepareMs = processorMs() - start;
    const reads: [Reads, Reads] = [[], []];
    const [first, firstRunMs] = await timed(() => operation.run(reads[0], variables));
    const [second, secondRunMs] = await timed(() => operation.run(reads[1], variables));
    const answer = JSON.stringify(first.data);
    if (JSON.stringify(second.data) !== answer) throw new Error('Its second run answers otherwise than its first.');
    // What is charged follows from what is read.
    const [before, after] = reads.map((some) => some.sort().join('\n'));
    if (before !== after) throw new Error(`Its second run reads otherwise than its first:\n${before}\n\n${after}`);
    const { mayCompile } = operation;
    const measured = { prepareMs, firstRunMs, secondRunMs, answerBytes: answer.length, price: amount, mayCompile };
    return { request, genome, refusal: null, ...measured, weight: operation.weight() };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    return { ...nothing, refusal: error.message, prepareMs: processorMs() - start };
  }
}

async function timed<T>(run: () => Promise<T>): Promise<[T, number]> {
  const start = processorMs();
  const result = await run();
  return [result, processorMs() - start];
}

/** What this process has used, so that what else the machine does is not measured. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** What the search maximises. */
export const AIMS = {
  'slowest to accept': (found) => (found.refusal === null ? found.prepareMs : 0),
  'slowest to refuse': (found) => (found.refusal === null ? 0 : found.prepareMs),
  'slowest to interpret': (found) => found.firstRunMs,
  'slowest to compile': (found) => found.secondRunMs,
  'largest answer to introspection': (found) => (found.price === 0 ? found.answerBytes : 0),
  'largest answer for its price': (found) => (found.price === 0 ? 0 : found.answerBytes / found.price),
  heaviest: (found) => found.weight,
} satisfies Record<string, (found: Found) => number>;

export type Aim = keyof typeof AIMS;

const KEPT = 8;

export interface Searched {
  readonly tried: number;
  readonly accepted: number;
  /** The worst for each aim, tried three times more, because garbage collection is not the document's fault. */
  readonly worst: Readonly<Record<Aim, Found>>;
}

/** Searches until `isOver` says so. Throws at the first fault, with the document. */
export async function search(seed: number, isOver: () => boolean): Promise<Searched> {
  const random = randomFrom(seed);
  const aims = Object.keys(AIMS) as Aim[];
  const best = new Map<Aim, Found[]>(aims.map((aim) => [aim, []]));
  let tried = 0;
  let accepted = 0;
  const note = (found: Found): void => {
    tried += 1;
    if (found.refusal === null) accepted += 1;
    for (const aim of aims) best.set(aim, [...(best.get(aim) ?? []), found].sort(by(aim)).slice(0, KEPT));
  };
  for (const request of Object.values(WORST)) note(await trying(request, null));
  while (!isOver()) {
    const aim = aims[tried % aims.length] as Aim;
    const parents = (best.get(aim) ?? []).flatMap(({ genome }) => genome ?? []);
    const parent = parents[Math.floor(random() * parents.length)];
    const genome = parent && random() < 0.7 ? like(parent, random) : anyGenome(random);
    note(await trying(documentFrom(genome), genome));
  }
  const worst: Partial<Record<Aim, Found>> = {};
  for (const aim of aims) {
    const again: Found[] = [];
    for (const found of best.get(aim) ?? []) again.push(await confirmed(found));
    const [first] = again.sort(by(aim));
    if (first) worst[aim] = first;
  }
  return { tried, accepted, worst: worst as Record<Aim, Found> };
}

const by = (aim: Aim) => (a: Found, b: Found) => AIMS[aim](b) - AIMS[aim](a);

/** The least of four times. */
export async function confirmed(found: Found): Promise<Found> {
  let least = found;
  for (let i = 0; i < 3; i += 1) {
    const again = await tryDocument(found.request, found.genome);
    least = {
      ...least,
      prepareMs: Math.min(least.prepareMs, again.prepareMs),
      firstRunMs: Math.min(least.firstRunMs, again.firstRunMs),
      secondRunMs: Math.min(least.secondRunMs, again.secondRunMs),
    };
  }
  return least;
}

export async function trying(request: GraphqlRequest, genome: Genome | null): Promise<Found> {
  try {
    return await tryDocument(request, genome);
  } catch (cause) {
    throw new Error(`A document brings a fault: ${JSON.stringify(request)}`, { cause });
  }
}
