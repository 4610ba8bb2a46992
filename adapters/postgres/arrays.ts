import { parse } from 'postgres-array';

/** Element types whose arrays are sent or read here: the oids of the element and of the array. */
const ARRAYS = {
  boolean: [16, 1000],
  bytea: [17, 1001],
  bigint: [20, 1016],
  integer: [23, 1007],
  text: [25, 1009],
  double: [701, 1022],
  varchar: [1043, 1015],
  timestamptz: [1184, 1185],
  uuid: [2950, 2951],
} as const;

type Element = keyof typeof ARRAYS;

/**
 * Array types of the driver. By default it queries the server for them on each new connection, and a connection lost at
 * that moment causes an unhandled rejection, which ends the process. These are known in advance, so no query is needed.
 * Send an array with its type, `${values}::text[]`; the driver takes arrays of Dates, Buffers or booleans for single
 * values, so send text.
 */
export function arrayTypes(): Record<`${Element}Array`, ReturnType<typeof arrayType>> {
  const types = Object.entries(ARRAYS).map(([name, [, oid]]) => [`${name}Array`, arrayType(oid, name as Element)]);
  return Object.fromEntries(types);
}

const arrayType = (oid: number, element: Element) => ({
  to: oid,
  from: [oid],
  serialize: (values: readonly unknown[] | string) => (typeof values === 'string' ? values : literal(values)),
  parse: (text: string) => parse(text, parsers[element] ?? String),
});

const parsers: Partial<Record<Element, (text: string) => unknown>> = {
  boolean: (text) => text === 't',
  bytea: (text) => Buffer.from(text.slice(2), 'hex'),
  bigint: exactNumber,
  integer: Number,
  double: Number,
  timestamptz: (text) => new Date(text),
};

/** A `bigint` as a number where that is exact, otherwise as the original text. */
export function exactNumber(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

const literal = (values: readonly unknown[]): string => `{${values.map(element).join(',')}}`;

function element(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return literal(value);
  return `"${String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
