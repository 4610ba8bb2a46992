import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { keyPrefix } from '../../../src/access/key.js';
import { withCaret } from '../../../src/domain/caret.js';
import { toThousandths } from '../../../src/domain/credits.js';
import { CHARGE_UNKNOWN } from '../../../src/domain/errors.js';
import { FAILED, Failure, WRONG_USE } from '../failure.js';

/** The service itself gives up after 30 seconds. */
const TIMEOUT_MS = 60_000;
/** Attempts for one call when the service asks to wait, and the longest such wait: a few minutes in all. */
const TRIES = 12;
const LONGEST_WAIT_S = 120;
/** Error codes of connections that were never made, so that nothing was sent. */
const NOT_SENT: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'],
]);
/** Waits before each attempt to find a receipt. */
const RECEIPT_WAITS_S = [1, 2, 4, 8, 16];
/** How far behind usage may be, milliseconds: less than the time after which it is asked for. */
const LATEST_USAGE_MS = 60_000;
export const UNKNOWN_YET = 'it is not known yet whether a page was charged';
/** The wait after a 429 or 503 without Retry-After. */
const USUAL_WAIT_S = 2;
/** The longest such wait for an export that has no end: its waits grow with each attempt. */
const LONGEST_USUAL_WAIT_S = 60;

const pageShape = z.object({
  data: z.array(z.union([z.string(), z.looseObject({ id: z.string() })])),
  credits_charged: z.number(),
  next_cursor: z.string().optional(),
  since_cursor: z.string().optional(),
  has_newer: z.boolean().optional(),
  gap: z.boolean().optional(),
  truncated: z.string().optional(),
});
const estimateShape = z.object({ estimate: z.object({ max_credits: z.number() }) });
const usageShape = z.object({
  data: z.array(z.object({ endpoint: z.string(), key_prefix: z.string(), credits: z.number() })),
  as_of: z.string().optional(),
  next_cursor: z.string().optional(),
});
const receiptShape = z.object({ data: z.object({ credits: z.number() }) });
const errorShape = z.object({
  request_id: z.string().optional(),
  error: z.object({
    code: z.string(),
    message: z.string(),
    reason: z.string().optional(),
    place: z.object({ text: z.string().max(200), position: z.int().min(1).max(201) }).optional(),
  }),
});

export type ExportPage = z.infer<typeof pageShape>;
export type ExportQuery = Readonly<Record<string, string | undefined>>;

/** The service refused: nothing was charged, unless `isChargeUnknown`. */
export class ExportRefusal extends Failure {
  readonly code: string;
  readonly reason: string | undefined;
  readonly requestId: string | undefined;
  readonly status: number;
  /** Undefined if the service named no time. */
  readonly retryAfterS: number | undefined;

  constructor(
    { error: { code, message, reason, place }, request_id }: z.infer<typeof errorShape>,
    { status, headers }: Pick<Response, 'status' | 'headers'>,
  ) {
    super(withCaret(message, place), code === 'bad_request' ? WRONG_USE : FAILED);
    this.code = code;
    this.reason = reason;
    this.requestId = request_id;
    this.status = status;
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    this.retryAfterS = Number.isFinite(seconds) ? seconds : undefined;
  }

  get isChargeUnknown(): boolean {
    return this.reason === CHARGE_UNKNOWN;
  }
}

/** There was no answer, or not one from Perch: the call may have been charged. */
export class NoAnswer extends Failure {}

/** Nothing listens at the address: nothing was charged. */
class NotListening extends Failure {}

/** A signal arrived while no call was in flight. */
export class Stopped extends Error {}

export interface ClientOptions {
  readonly url: string;
  readonly key: string;
  /** Cuts waits short, but never a call in flight. */
  readonly stop: AbortSignal;
  /** Whether to wait as long and as often as it takes. */
  readonly isPatient: boolean;
  /** Called before each wait, with its seconds. */
  onWait(seconds: number, why: string): void;
}

/** Calls for one list, one at a time. All methods throw ExportRefusal, NoAnswer, NotListening and Stopped. */
export class ExportClient {
  readonly #options: ClientOptions;
  /** If the service has answered before and now nothing listens, it is most likely restarting. */
  #hasAnswered = false;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get keyPrefix(): string {
    return keyPrefix(this.#options.key);
  }

  page = (path: string, query: ExportQuery): Promise<ExportPage> => this.#read(path, query, pageShape, true);

  /** The most that a page with this query can cost, in credits. Free. */
  async estimate(path: string, query: ExportQuery): Promise<number> {
    const { estimate } = await this.#read(path, { ...query, estimate: 'true' }, estimateShape);
    return estimate.max_credits;
  }

  /**
   * Credits charged for a call whose charge was unknown; null if there is still no receipt after a while. Free.
   */
  async charged(requestId: string): Promise<number | null> {
    for (const seconds of RECEIPT_WAITS_S) {
      await this.pause(seconds, UNKNOWN_YET);
      try {
        return (await this.#read(`/v1/usage/${encodeURIComponent(requestId)}`, {}, receiptShape)).data.credits;
      } catch (error) {
        if (!(error instanceof ExportRefusal) || error.code !== 'not_found') throw error;
      }
    }
    return null;
  }

  /** Thousandths that the key was charged for an operation since a day (UTC); null if not all is known. Free. */
  async used(operation: string, from: string): Promise<number | null> {
    const usage = await this.#read('/v1/usage', { from, group: 'endpoint,key' }, usageShape);
    const isLate = usage.as_of !== undefined && Date.now() - Date.parse(usage.as_of) > LATEST_USAGE_MS;
    if (isLate || usage.next_cursor !== undefined) return null;
    const own = this.keyPrefix;
    const rows = usage.data.filter(({ endpoint, key_prefix }) => endpoint === operation && key_prefix === own);
    return rows.reduce((sum, { credits }) => sum + toThousandths(credits), 0);
  }

  /** Says why it waits, if that is given. Throws `Stopped`. */
  async pause(seconds: number, why?: string): Promise<void> {
    if (why !== undefined) this.#options.onWait(seconds, why);
    await sleep(seconds * 1000, undefined, { signal: this.#options.stop }).catch(() => {
      throw new Stopped();
    });
  }

  async #read<T>(path: string, query: ExportQuery, shape: z.ZodType<T>, isPaid = false): Promise<T> {
    const { stop, isPatient } = this.#options;
    for (let tried = 1; ; tried += 1) {
      const isLast = tried === TRIES && !isPatient;
      const usualS = isPatient ? Math.min(USUAL_WAIT_S * tried, LONGEST_USUAL_WAIT_S) : USUAL_WAIT_S;
      if (stop.aborted) throw new Stopped();
      const answer = await this.#ask(path, query, shape);
      if (!(answer instanceof Failure)) return answer.data;
      const waitS = this.#waitAfter(answer, usualS, isPaid);
      if (waitS === null || isLast || (waitS > LONGEST_WAIT_S && !isPatient)) throw answer;
      await this.pause(waitS, answer.message);
    }
  }

  async #ask<T>(path: string, query: ExportQuery, shape: z.ZodType<T>): Promise<{ readonly data: T } | Failure> {
    const response = await this.#send(path, query);
    if (response instanceof Failure) return response;
    const body: unknown = await response.json().catch(() => null);
    const read = shape.safeParse(body);
    const said = errorShape.safeParse(body).data;
    const isRead = response.status === 200 && read.success;
    if (!isRead && said === undefined)
      return this.#noAnswer(`returned a response that is not from Perch (HTTP ${response.status})`);
    this.#hasAnswered = true;
    return isRead ? read : new ExportRefusal(said as z.infer<typeof errorShape>, response);
  }

  /** Seconds to wait before another attempt; null if there should be none. */
  #waitAfter(failure: Failure, usualS: number, isPaid: boolean): number | null {
    const { isPatient } = this.#options;
    if (!(failure instanceof ExportRefusal)) {
      // What may have been charged is not repeated here.
      const isFree = failure instanceof NotListening || (isPatient && !isPaid);
      return this.#hasAnswered && isFree ? usualS : null;
    }
    const { status, retryAfterS } = failure;
    if (failure.isChargeUnknown) return null;
    if (status === 429 || status === 503) return Math.max(retryAfterS ?? usualS, 1);
    return status === 500 && isPatient ? usualS : null;
  }

  async #send(path: string, query: ExportQuery): Promise<Response | NotListening | NoAnswer> {
    const address = new URL(`${this.#options.url}${path}`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) address.searchParams.set(name, value);
    try {
      return await fetch(address, {
        headers: { 'x-api-key': this.#options.key },
        // The interface never redirects, and a redirect would send the key elsewhere.
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { code?: string };
      // It never connected, so nothing can have been charged.
      if (NOT_SENT.has(code ?? '')) {
        return new NotListening(
          `cannot connect to ${this.#options.url}: start the service there, or use another --url`,
        );
      }
      return this.#noAnswer('did not respond');
    }
  }

  #noAnswer(what: string): NoAnswer {
    return new NoAnswer(`${this.#options.url} ${what}`);
  }
}
