import { readFile } from 'node:fs/promises';
import type { Target } from '../../adapters/postgres/sql.js';

/** Answers that Perch gave once, which the contestants give from memory, and what contestants that charge need. */
export interface Answers {
  readonly rest: readonly Sent[];
  /** `data` of the GraphQL answers, by handle. */
  readonly graphql: Readonly<Record<string, { readonly user: Profile }>>;
  /** The keys of the customers who send requests. */
  readonly keys: readonly string[];
  readonly database: Target;
  readonly logFile: string;
}

/** A body as Perch sent it to one kind of client. */
export interface Sent {
  readonly path: string;
  /** The client's `Accept-Encoding`, or empty without one. */
  readonly acceptEncoding: string;
  /** The headers of Perch's answer, without those that belong to one call. */
  readonly headers: Readonly<Record<string, string>>;
  readonly base64: string;
  /** The body, decoded. */
  readonly text: string;
}

export interface Profile extends Readonly<Record<string, unknown>> {
  readonly tweets: { readonly nodes: readonly unknown[]; readonly pageInfo: unknown };
}

export const readAnswers = async (file: string): Promise<Answers> =>
  JSON.parse(await readFile(file, 'utf8')) as Answers;

/** The key of an answer: the request and its accepted encodings. */
export const answerId = (path: string, acceptEncoding = ''): string => `${path} ${acceptEncoding}`;
