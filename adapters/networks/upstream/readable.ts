import { z } from 'zod';

/** The problem of each object left out of the answer being parsed. Parsing is synchronous, so one list is enough. */
let problems: string[] = [];

/** Parses an answer, and lists the problem of each object that could not be read and was left out. */
export function parseNoting<T>(schema: z.ZodType<T>, json: unknown) {
  problems = [];
  const result = schema.safeParse(json);
  return { result, problems };
}

/** The first problem and its path, for the log. */
export const problemIn = ({ issues: [issue] }: z.ZodError): string =>
  `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unexpected'}`;

/** The object, or undefined if it cannot be read; its problem is then added to the list. */
export function readObject<T>(schema: z.ZodType<T>, value: unknown): T | undefined {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  problems.push(problemIn(error));
  return undefined;
}

/** An optional object: one that cannot be read counts as missing. */
export const readableObject = <T>(schema: z.ZodType<T>) =>
  z.unknown().transform((value) => (value == null ? undefined : readObject(schema, value)));

/** A list's objects one by one: those that can be read, in order (T20). */
export const readable = <T>(item: z.ZodType<T>) =>
  z.array(z.unknown()).transform((all) => all.flatMap((one) => readObject(item, one) ?? []));

/** The same for a requested page, but with an error about the first object if none of them can be read. */
export const readablePage = <T>(item: z.ZodType<T>) =>
  z.array(z.unknown()).transform((all, context) => {
    const items = all.flatMap((one) => readObject(item, one) ?? []);
    if (items.length > 0 || all.length === 0) return items;
    for (const { path, message } of item.safeParse(all[0]).error?.issues ?? []) {
      context.addIssue({ code: 'custom', path: [0, ...path], message });
    }
    return z.NEVER;
  });

/** An object that cannot be read, as it arrived, and its problem. */
export interface Unread {
  readonly value: unknown;
  readonly problem: string;
}

/** Objects that were requested by name: those that can be read, and the others. */
export interface LookedUp<T> {
  readonly objects: readonly T[];
  readonly unread: readonly Unread[];
}

export const lookedUp = <T>(item: z.ZodType<T>) =>
  z.array(z.unknown()).transform((all): LookedUp<T> => {
    const objects: T[] = [];
    const others: Unread[] = [];
    for (const value of all) {
      const { success, data, error } = item.safeParse(value);
      if (success) objects.push(data);
      else others.push({ value, problem: problemIn(error) });
    }
    problems.push(...others.map(({ problem }) => problem));
    return { objects, unread: others };
  });

/** Whether an unread object may be the requested one: it has that name in this field, or has no name there. */
export const isAmong = (others: readonly Unread[], field: string, name: string): boolean =>
  others.some(({ value }) => {
    const own = typeof value === 'object' && value !== null && (value as Record<string, unknown>)[field];
    return typeof own !== 'string' || own.toLowerCase() === name.toLowerCase();
  });

/** The object without unknown fields. */
export function withoutUnknown<T extends object>(fields: { [K in keyof T]-?: T[K] | null | undefined }): T {
  const kept: Partial<T> = {};
  for (const key of Object.keys(fields) as (keyof T)[]) {
    const value = fields[key];
    if (value !== null && value !== undefined) kept[key] = value;
  }
  return kept as T;
}
