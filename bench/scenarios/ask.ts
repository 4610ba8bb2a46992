/** One answer, whole. */
export interface Asked {
  readonly text: string;
  /** Credits left in the wallet after it; NaN where the answer doesn't say, as a contestant's doesn't. */
  readonly remaining: number;
  readonly charged: number;
  readonly cache: string | undefined;
  readonly data: unknown;
}

interface Body {
  readonly data?: unknown;
  readonly cache?: string;
  readonly credits_charged?: number;
  readonly balance_remaining?: number;
  readonly next_cursor?: string;
  readonly extensions?: {
    readonly credits?: { readonly charged: number; readonly remaining: number; readonly cache: string };
  };
}

/** Asks once, by Node's own fetch. Throws on any answer but 200. */
export async function ask(url: string, options: { key?: string; body?: string } = {}): Promise<Asked & { body: Body }> {
  const { key, body } = options;
  const headers = {
    ...(key !== undefined && { 'x-api-key': key }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const response = await fetch(url, { headers, ...(body !== undefined && { method: 'POST', body }) });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} was answered with ${response.status}: ${text.slice(0, 500)}`);
  const answer = JSON.parse(text) as Body;
  const credits = answer.extensions?.credits;
  return {
    text,
    remaining: credits?.remaining ?? answer.balance_remaining ?? Number.NaN,
    charged: credits?.charged ?? answer.credits_charged ?? Number.NaN,
    cache: credits?.cache ?? answer.cache,
    data: answer.data,
    body: answer,
  };
}
