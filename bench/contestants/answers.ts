import { readFile } from 'node:fs/promises';

/** What Perch answered once, for its contestants to answer from memory. */
export interface Answers {
  readonly rest: readonly Sent[];
  /** `data` of the GraphQL answers, by handle. */
  readonly graphql: Readonly<Record<string, { readonly user: Profile }>>;
}

/** A body as Perch sent it to one kind of client. */
export interface Sent {
  readonly path: string;
  /** As the client sent it; empty where it sent none. */
  readonly acceptEncoding: string;
  /** As Perch sent it; null where it sent none. */
  readonly contentEncoding: string | null;
  readonly base64: string;
}

export interface Profile extends Readonly<Record<string, unknown>> {
  readonly tweets: { readonly nodes: readonly unknown[]; readonly pageInfo: unknown };
}

export const readAnswers = async (file: string): Promise<Answers> =>
  JSON.parse(await readFile(file, 'utf8')) as Answers;
