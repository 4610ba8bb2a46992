import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { withCaret } from '../../../src/domain/caret.js';
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

  constructor({ error: { code, message, reason, place }, request_id }: z.infer<typeof errorShape>) {
    super(withCaret(message, place), code === 'bad_request' ? WRONG_USE : FAILED);
    this.code = code;
    this.reason = reason;
    this.requestId = request_id;
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

  page = (path: string, query: ExportQuery): Promise<ExportPage> => this.#read(path, query, pageShape);

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
      await this.#wait(seconds, 'it is not known yet whether a page was charged');
      try {
        return (await this.#read(`/v1/usage/${encodeURIComponent(requestId)}`, {}, receiptShape)).data.credits;
      } catch (error) {
        if (!(error instanceof ExportRefusal) || error.code !== 'not_found') throw error;
      }
    }
    return null;
  }

  /** Throws `Stopped`. */
  async pause(seconds: number): Promise<void> {
    await sleep(seconds * 1000, undefined, { signal: this.#options.stop }).catch(() => {
      throw new Stopped();
    });
  }

  async #read<T>(path: string, query: ExportQuery, shape: z.ZodType<T>): Promise<T> {
    const { stop, isPatient } = this.#options;
    for (let tried = 1; ; tried += 1) {
      const isLast = tried === TRIES && !isPatient;
      const usualS = isPatient ? Math.min(USUAL_WAIT_S * tried, LONGEST_USUAL_WAIT_S) : USUAL_WAIT_S;
      if (stop.aborted) throw new Stopped();
      const response = await this.#send(path, query);
      if (response instanceof NotListening) {
        if (!this.#hasAnswered || isLast) throw response;
        await this.#wait(usualS, response.message);
        continue;
      }
      this.#hasAnswered = true;
      const body: unknown = await response.json().catch(() => null);
      if (response.status === 200) {
        const { success, data } = shape.safeParse(body);
        if (success) return data;
      }
      const said = errorShape.safeParse(body).data;
      if (said === undefined)
        throw this.#noAnswer(`returned a response that is not from Perch (HTTP ${response.status})`);
      const refusal = new ExportRefusal(said);
      const waitS = refusal.isChargeUnknown ? null : retryDelaySeconds(response, usualS);
      if (waitS === null || isLast || (waitS > LONGEST_WAIT_S && !isPatient)) throw refusal;
      await this.#wait(waitS, said.error.message);
    }
  }

  async #wait(seconds: number, why: string): Promise<void> {
    this.#options.onWait(seconds, why);
    await this.pause(seconds);
  }

  async #send(path: string, query: ExportQuery): Promise<Response | NotListening> {
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
      throw this.#noAnswer('did not respond');
    }
  }

  #noAnswer(what: string): NoAnswer {
    return new NoAnswer(`${this.#options.url} ${what}`);
  }
}

/** Seconds to wait before another attempt; null if waiting does not help. */
function retryDelaySeconds({ status, headers }: Response, usualS: number): number | null {
  if (status !== 429 && status !== 503) return null;
  const seconds = Number(headers.get('retry-after') ?? usualS);
  return Number.isFinite(seconds) ? Math.max(seconds, 1) : usualS;
}
