import { createClient } from '../../kit/client.js';
import type { TestAccount, TestPerch } from '../../kit/perch.js';

/** All members that a GraphQL answer can have, none of them optional. */
export interface GraphqlBody {
  readonly data: unknown;
  readonly errors: readonly {
    readonly message: string;
    readonly path: readonly (string | number)[];
    readonly extensions: { readonly code: string; readonly reason?: string; readonly param?: string };
  }[];
  readonly extensions: {
    readonly request_id: string;
    readonly estimate: { readonly max_items: number; readonly max_credits: number };
    readonly credits: {
      readonly charged: number;
      readonly remaining: number;
      readonly cache: string;
      readonly breakdown: readonly {
        readonly path: string;
        readonly items: number;
        readonly unit: number;
        readonly cache: string;
        readonly charged: number;
      }[];
    };
  };
}

export interface GraphqlReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: GraphqlBody;
}

export interface GraphqlRequest {
  readonly query?: string;
  readonly documentId?: string;
  readonly operationName?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

export const GRAPHQL_TYPE = 'application/graphql-response+json';

/** POSTs an operation, given as its text or as the whole request. The key may be null. */
export async function post(
  perch: Pick<TestPerch, 'url'>,
  account: Pick<TestAccount, 'key'> | null,
  operation: string | GraphqlRequest,
  headers: Readonly<Record<string, string>> = {},
): Promise<GraphqlReply> {
  const request = typeof operation === 'string' ? { query: operation } : operation;
  const client = createClient(perch.url, account?.key ?? null);
  const { status, headers: got, body } = await client.post('/graphql', request, { accept: GRAPHQL_TYPE, ...headers });
  return { status, headers: got, body: body as unknown as GraphqlBody };
}

/** The value at a path of the data: field names and list indices. */
export const at = (reply: GraphqlReply, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<string | number, unknown> | null)?.[key], reply.body.data);

/** The codes of the failed fields, by their paths. */
export const failures = (reply: GraphqlReply): Record<string, string> =>
  Object.fromEntries((reply.body.errors ?? []).map(({ path, extensions }) => [path.join('.'), extensions.code]));
