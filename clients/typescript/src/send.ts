import { PerchError } from './errors.js';

/** How one call is sent. */
export interface CallControl {
  /** Ends the call, which then throws the signal's own reason. */
  readonly signal?: AbortSignal;
  /** Milliseconds that one attempt may take. Default: the client's. */
  readonly timeoutMs?: number;
  /**
   * Additional attempts, each only after a 429 or 503 that says how long to wait (`Retry-After`, up to a minute). Such
   * a failure is never charged, so a retry can't be charged twice. No other failure is retried: after a timeout a read
   * may have been charged. Default: the client's.
   */
  readonly retries?: number;
}

export type Fetch = (request: Request) => Promise<Response>;

const LONGEST_WAIT_SECONDS = 60;

/** `fetch` with a time limit, the configured retries, and failures as `PerchError`. The body is already read. */
export function sender(fetch: Fetch, { timeoutMs, retries }: { timeoutMs: number; retries: number }): Fetch {
  return async (request) => {
    for (let left = retries; ; left -= 1) {
      const response = await once(fetch, request, timeoutMs);
      const waitSeconds = left > 0 ? waitOf(response) : null;
      if (waitSeconds === null) return response;
      await pause(waitSeconds * 1000, request.signal);
    }
  };
}

async function once(fetch: Fetch, request: Request, timeoutMs: number): Promise<Response> {
  const limit = AbortSignal.timeout(timeoutMs);
  const { origin } = new URL(request.url);
  try {
    const signal = AbortSignal.any([request.signal, limit]);
    // A redirect would send the key elsewhere: the interface has none.
    const response = await fetch(new Request(request.clone(), { signal, redirect: 'manual' }));
    const text = await response.text();
    const { status, headers } = response;
    if (isRedirect(response)) throw redirected(origin, status);
    return new Response(text === '' ? null : text, { status, headers });
  } catch (fault) {
    if (fault instanceof PerchError) throw fault;
    if (request.signal.aborted) throw request.signal.reason;
    if (limit.aborted) throw new PerchError('timeout', `No answer within ${timeoutMs} ms.`, { status: 0 });
    throw new PerchError('unreachable', `${origin} can't be reached${whyOf(fault)}.`, { status: 0 });
  }
}

/** Some runtimes expose the redirect, and some only report that there was one. */
const isRedirect = ({ type, status }: Response): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304);

const redirected = (origin: string, status: number): PerchError =>
  new PerchError(
    'unreadable',
    `${origin} responded with a redirect, which is not followed because it would expose the key. Is the base URL correct?`,
    { status },
  );

/**
 * The runtime's code for the cause, such as ` (ECONNREFUSED)`. Its message and cause are left out: they may quote
 * headers.
 */
function whyOf(fault: unknown): string {
  const { code, cause } = fault as { code?: unknown; cause?: { code?: unknown } };
  const word = cause?.code ?? code;
  return typeof word === 'string' && /^\w+$/.test(word) ? ` (${word})` : '';
}

/** The value of `Retry-After`, in whole seconds. */
export function retryAfterOf(headers: Headers): number | undefined {
  const said = headers.get('retry-after');
  return said !== null && /^\d+$/.test(said) ? Number(said) : undefined;
}

/** Whole seconds to wait before another attempt, or null where there should be none. */
function waitOf({ status, headers }: Response): number | null {
  const seconds = retryAfterOf(headers);
  if ((status !== 429 && status !== 503) || seconds === undefined || seconds > LONGEST_WAIT_SECONDS) return null;
  return seconds;
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((done, fail) => {
    const stop = (): void => {
      clearTimeout(timer);
      fail(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      done();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
