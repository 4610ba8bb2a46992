import { readFile } from 'node:fs/promises';

/** What Perch answered once, for its contestants to answer from memory. */
export interface Answers {
  /** Bodies by path. */
  readonly rest: Readonly<Record<string, string>>;
  /** `data` of the GraphQL answer. */
  readonly graphql: { readonly user: Record<string, unknown> & { readonly tweets: TweetPage } };
}

interface TweetPage {
  readonly nodes: readonly unknown[];
  readonly pageInfo: unknown;
}

export const readAnswers = async (file: string): Promise<Answers> =>
  JSON.parse(await readFile(file, 'utf8')) as Answers;
