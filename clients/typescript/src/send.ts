import { type ErrorDetail, PerchError } from './errors.js';

/** How one call is sent. */
export interface CallControl {
  /** Ends the call, which then throws the signal's own reason. */
  readonly signal?: AbortSignal;
  /** Milliseconds that the call may take; `Infinity` for no limit. Default: the client's. */
  readonly timeoutMs?: number;
}

export type Fetch = (request: Request) => Promise<Response>;

/** `fetch` with a time limit, and failures as `PerchError`. One HTTP call; the body is already read. */
export const sender =
  (fetch: Fetch, timeoutMs: number): Fetch =>
  async (request) => {
    const limit = timeoutMs === Number.POSITIVE_INFINITY ? undefined : AbortSignal.timeout(timeoutMs);
    const { origin } = new URL(request.url);
    const signal = AbortSignal.any([request.signal, ...(limit ? [limit] : [])]);
    // A redirect would send the key elsewhere, and the interface has no redirects.
    const sent = new Request(request.clone(), { signal, redirect: 'manual' });
    let head: ErrorDetail = { status: 0 };
    try {
      const response = await fetch(sent);
      head = headOf(response);
      const text = await response.text();
      const { status, headers } = response;
      if (isRedirect(response)) throw redirected(origin, head);
      return new Response(text === '' ? null : text, { status, headers });
    } catch (fault) {
      if (fault instanceof PerchError) throw fault;
      if (request.signal.aborted) throw request.signal.reason;
      // Reads both signals to keep them referenced: Node does not abort a call whose request or timeout it collected.
      if (sent.signal.aborted && limit?.aborted)
        throw new PerchError('timeout', `No answer within ${timeoutMs} ms.`, head);
      const what = head.status === 0 ? "can't be reached" : 'ended its answer early';
      const reason = whyOf(fault);
      throw new PerchError('unreachable', `${origin} ${what}${reason ? ` (${reason})` : ''}.`, { ...head, reason });
    }
  };

/** Some runtimes expose the redirect, and some only report that there was one. */
const isRedirect = ({ type, status }: Response): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304);

const redirected = (origin: string, head: ErrorDetail): PerchError =>
  new PerchError(
    'unreadable',
    `${origin} responded with a redirect, which is not followed because it would expose the key. Is the base URL correct?`,
    head,
  );

/**
 * The runtime's code for the cause, such as `ECONNREFUSED`. Its message and cause are left out: they may quote headers.
 */
function whyOf(fault: unknown): string | undefined {
  const { code, cause } = fault as { code?: unknown; cause?: { code?: unknown } };
  const word = cause?.code ?? code;
  return typeof word === 'string' && /^\w+$/.test(word) ? word : undefined;
}

/** A request id of Perch is a UUID v7. What a proxy sends instead leads to no receipt. */
const REQUEST_ID = /^[\da-f]{8}-[\da-f]{4}-7[\da-f-]{21}$/;

/** What an answer says before its body arrives. */
export function headOf({ status, headers }: Response): ErrorDetail {
  const id = headers.get('x-request-id') ?? '';
  return { status, requestId: REQUEST_ID.test(id) ? id : undefined };
}

/** The value of `Retry-After`, in whole seconds. */
export function retryAfterOf(headers: Headers): number | undefined {
  const said = headers.get('retry-after');
  return said !== null && /^\d+$/.test(said) ? Number(said) : undefined;
}

/** Waits, until the signal fires at the latest. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      done();
    };
    const timer = setTimeout(end, Math.min(ms, 2 ** 31 - 1));
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}
