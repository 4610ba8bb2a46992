import { readFile } from 'node:fs/promises';
import type { Target } from '../../adapters/postgres/sql.js';

/** What Perch answered once, for its contestants to answer from memory; and what those that charge need for that. */
export interface Answers {
  readonly rest: readonly Sent[];
  /** `data` of the GraphQL answers, by handle. */
  readonly graphql: Readonly<Record<string, { readonly user: Profile }>>;
  /** Of the customers who ask. */
  readonly keys: readonly string[];
  readonly database: Target;
  readonly logFile: string;
}

/** A body as Perch sent it to one kind of client. */
export interface Sent {
  readonly path: string;
  /** As the client sent it; empty where it sent none. */
  readonly acceptEncoding: string;
  /** As Perch sent them, but for those that belong to one call. */
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

/** How answers are told apart: by what was asked, and in which encodings. */
export const answerId = (path: string, acceptEncoding = ''): string => `${path} ${acceptEncoding}`;
