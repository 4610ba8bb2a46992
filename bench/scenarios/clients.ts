/** A kind of client, defined by the headers that it sends. */
export interface Client {
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether each request has a `traceparent` of its own. */
  readonly traced: boolean;
}

/** Clients of the cached reads, by the name of each in `--clients`. */
export const CLIENTS = {
  plain: { title: 'without Accept-Encoding', headers: {}, traced: false },
  real: { title: 'as real clients ask', headers: { 'accept-encoding': 'gzip, deflate, br' }, traced: true },
} as const satisfies Record<string, Client>;

export type ClientName = keyof typeof CLIENTS;
