import { v7 } from 'uuid';
import type { Deliveries } from '../account/deliveries.js';
import { parseWebhookUrl } from '../account/webhook-address.js';
import { admitByHand, admitCheck } from '../account/webhook-limits.js';
import { webhookSecret } from '../account/webhook-signature.js';
import type { Actor } from '../domain/audit.js';
import { parseCredits, type Thousandths, toCredits } from '../domain/credits.js';
import { badRequest, malformedCursor, ServiceError, takeOrThrow } from '../domain/errors.js';
import { MOST_DELIVERY_BYTES, outOfBounds } from '../domain/fields.js';
import { figure } from '../domain/figures.js';
import { FOLLOWED_READS, hasSince, type ListRead, subjectParameter } from '../domain/lists.js';
import type { Product } from '../domain/model.js';
import { lazySignal } from '../lib/abort.js';
import { LiveBudget } from '../live/budget.js';
import type { Live } from '../live/live.js';
import type { LivePosition } from '../live/positions.js';
import type { Accounts, Caller } from '../ports/accounts.js';
import type { Clock } from '../ports/clock.js';
import type { Webhooks } from '../ports/deliveries.js';
import type { RateLimiter } from '../ports/rate-limiter.js';
import type {
  AddedWatch,
  CallerWatches,
  NewWatch,
  WatchBook,
  WatchDelivery,
  WatchDeliveryPage,
  WatchId,
  WatchRecord,
  WatchRequest,
} from '../ports/watches.js';
import { normaliseQuery } from '../read/subjects.js';
import type { Outcome } from '../serve/call.js';
import type { Serve } from '../serve/serve.js';
import { type WatchForm, watchCall } from './follower.js';

/** How many watches that have not ended an account may have, for each request per second of its tier. */
const PER_QPS = 20;

/**
 * How often an account can add and resume watches in an hour: this often, or twice for each that it may have. Each time
 * is kept in its log for good. Pausing and ending take something away, and need not be counted.
 */
const LEAST_CHANGES = 200;
const CHANGES_SECONDS = 3600;

/** Who owns a watch and pays for it. */
export type Watcher = Pick<Caller, 'accountId' | 'keyId' | 'qps'>;

export interface WatchesOptions {
  readonly form: Pick<WatchForm, 'call'>;
  readonly book: WatchBook;
  readonly keyByPrefix: Accounts['keyByPrefix'];
  readonly live: Pick<Live, 'follow' | 'positions'>;
  readonly serve: Serve;
  readonly webhooks: Pick<Webhooks, 'check'>;
  readonly deliveries: Pick<Deliveries, 'itemsAgain'>;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  /** The secrets of webhooks are derived from it. */
  readonly secret: Uint8Array;
  /** Called as soon as a watch has to be followed, or no longer. */
  readonly wake: (watch: WatchId) => void;
}

/** Watches of accounts, for their owners and for callers of the API. */
export class Watches {
  readonly #options: WatchesOptions;

  constructor(options: WatchesOptions) {
    this.#options = options;
  }

  /** The newest first; after them the ended ones, of which only the last 100 to end are listed, or `mostEnded`. */
  list(accountId: string, mostEnded?: number): Promise<WatchRecord[]> {
    return this.#options.book.list(accountId, this.#options.clock.now(), mostEnded);
  }

  /** Throws `not_found`. */
  async get(accountId: string, watchId: string): Promise<WatchRecord> {
    return found(await this.#options.book.get(accountId, watchId, this.#options.clock.now()));
  }

  /** The secret that a watch's deliveries are signed with. */
  secretOf({ accountId, watchId }: Pick<WatchRecord, 'accountId' | 'watchId'>): string {
    return webhookSecret(this.#options.secret, accountId, watchId);
  }

  /**
   * Reads the list once before adding the watch, so a list that is missing or that the key may not read is refused as
   * usual. Adding the same watch again returns the existing one. Throws `bad_request` also for a webhook address that
   * nothing may be sent to and for too many watches, and `rate_limited` for too many addresses or changes.
   */
  async add(by: Watcher, request: WatchRequest, actor: Actor, signal: AbortSignal): Promise<AddedWatch> {
    const { book, webhooks, limiter, clock, wake } = this.#options;
    const { accountId, keyId, qps } = by;
    const { dailyLimit } = request;
    const wanted = wantedList(request);
    const { origin } = parseWebhookUrl(request.webhookUrl);
    // An account may have hundreds of watches. A name that one of them has is looked up again and again anyway.
    if (!(await book.sendsTo(accountId, origin))) await admitCheck(limiter, accountId);
    const webhookUrl = await webhooks.check(request.webhookUrl, accountId);
    const watchId = v7({ msecs: clock.now() });
    const keyHash = await book.keyHash(accountId, keyId);
    if (keyHash === undefined) throw new ServiceError('not_found', 'This account has no such key.');
    const begun = await this.#begin({ ...wanted, watchId, keyHash }, request.since ?? null, signal);
    await this.#admitChange(by);
    const settings = { ...withoutRead(wanted), webhookUrl, dailyLimit };
    const most = PER_QPS * qps;
    const watch = await book.add({ ...settings, ...begun, accountId, watchId, keyId, at: clock.now() }, most, actor);
    if (watch === null) throw tooMany(most);
    const isSame = watch.count === settings.count && watch.dailyLimit === dailyLimit && watch.keyId === keyId;
    if (!isSame) throw another(watch);
    wake(watch);
    return { watch, secret: this.secretOf(watch) };
  }

  /**
   * Pauses, resumes or ends a watch. If a key is given when it is resumed, that key pays from then on. Throws
   * `not_found`, `rate_limited`, and `bad_request` for a watch that has ended. Idempotent.
   */
  async change(
    of: Pick<WatchRecord, 'accountId' | 'watchId'> & Pick<Watcher, 'qps'> & { readonly keyId?: string },
    to: 'active' | 'paused' | 'ended',
    by: Actor,
  ): Promise<WatchRecord> {
    const { book, clock, wake } = this.#options;
    if (to === 'active') await this.#admitChange(of);
    const watch = found(await book.change(of, to, clock.now(), by));
    if (watch.state === 'ended' && to !== 'ended') throw badRequest('This watch has ended. Add another one.', 'id');
    wake(watch);
    return watch;
  }

  /**
   * A page of deliveries, the newest first; it ends early if the answer, with `copies` of each body, would be too large.
   * Throws `not_found`, `bad_request` for an invalid cursor, and `upstream_rate_limited` while the account has too many
   * queries running.
   */
  async deliveries(
    { accountId, watchId }: Pick<WatchRecord, 'accountId' | 'watchId'>,
    { count, after, copies = 1 }: { readonly count: number; readonly after: string | null; readonly copies?: number },
    signal?: AbortSignal,
  ): Promise<WatchDeliveryPage> {
    if (after !== null && !/^[1-9]\d{0,14}$/.test(after)) throw malformedCursor();
    await this.get(accountId, watchId);
    const below = after === null ? null : Number(after);
    const range = { below, limit: count, bytes: MOST_DELIVERY_BYTES / Math.max(1, copies) };
    const { nodes, hasMore } = await this.#options.book.deliveries(accountId, watchId, range, signal);
    return { nodes, endCursor: hasMore ? String(nodes.at(-1)?.number) : null };
  }

  /**
   * Sends a delivery once more, unchanged and under the same id, free of charge. Throws `not_found`, `rate_limited`,
   * and `bad_request` for one that waits for earlier deliveries.
   */
  async sendAgain({ accountId, watchId }: Pick<WatchRecord, 'accountId' | 'watchId'>, deliveryId: string) {
    await admitByHand(this.#options.limiter, accountId);
    const sent = await this.#options.deliveries.itemsAgain(accountId, watchId, deliveryId);
    if (sent === 'due') return;
    if (sent === 'waiting') throw inTurn();
    throw new ServiceError('not_found', 'This account has no such delivery.');
  }

  /**
   * For a call of the API. Throws `access_denied` for a client's key: it was granted only for reads, and a watch would
   * continue to spend after the client is gone.
   */
  forCaller(caller: Caller, address: string | null, signal: () => AbortSignal): CallerWatches {
    const by: Actor = { who: 'customer', address };
    const { accountId, keyId, qps } = caller;
    const own = async <T>(use: () => Promise<T>): Promise<T> => {
      await this.#refuseClient(caller);
      return use();
    };
    const bodies = new BodyLimit(signal);
    return {
      list: () => own(() => this.list(accountId)),
      get: (watchId) => own(() => this.get(accountId, watchId)),
      add: ({ maxCreditsPerDay, ...request }) =>
        own(() => this.add(caller, { ...request, dailyLimit: limitOf(maxCreditsPerDay) }, by, signal())),
      change: (watchId, to) => own(() => this.change({ accountId, watchId, keyId, qps }, to, by)),
      deliveries: (watchId, page) =>
        own(async () => {
          const found = await this.deliveries({ accountId, watchId }, page, bodies.signal);
          bodies.count(found.nodes, page.copies);
          return found;
        }),
      sendAgain: (watchId, deliveryId) =>
        own(async () => {
          await this.sendAgain({ accountId, watchId }, deliveryId);
          return this.get(accountId, watchId);
        }),
    };
  }

  #admitChange({ accountId, qps }: Pick<Watcher, 'accountId' | 'qps'>): Promise<void> {
    const most = Math.max(LEAST_CHANGES, 2 * PER_QPS * qps);
    return takeOrThrow(this.#options.limiter, [`watch-changes:${accountId}`, most, CHANGES_SECONDS], {
      message: `Watches can be added and resumed ${figure(most)} times an hour. Pausing and ending them always works.`,
    });
  }

  async #refuseClient({ accountId, keyPrefix }: Caller): Promise<void> {
    const key = await this.#options.keyByPrefix(keyPrefix, accountId);
    if (key?.grantId === null) return;
    const message =
      'This key was issued to a client for reading only. For watches, use one of your own keys or the dashboard.';
    throw new ServiceError('access_denied', message, { reason: 'read_only' });
  }

  /** Reads the list once, free of charge. Returns the position from which the watch begins, and whom it follows. */
  async #begin(
    watch: WantedList & { readonly watchId: string; readonly keyHash: string },
    since: string | null,
    signal: AbortSignal,
  ): Promise<Pick<NewWatch, 'position' | 'subjectId'>> {
    const { live, clock, form } = this.#options;
    const request = watchCall(form, watch);
    const from = live.positions.begin(clock.now(), null);
    const events = live.follow({
      ...{
        ...request,
        from,
        isResumed: false,
        isShort: false,
        mayWait: true,
        finishes: false,
        budget: new LiveBudget(),
        signal,
      },
    });
    const { value: event } = await events.next();
    await events.return();
    if (!event) throw signal.reason;
    if (event.kind === 'end') throw refusalOf(event.outcome, watch.read);
    const { list } = event.followed;
    const begun = (position: LivePosition) => ({
      position: live.positions.encodeOwn(position, list),
      subjectId: list.subject,
    });
    if (since === null) return begun(event.position);
    // By the subject's id, because that is how a cursor names it.
    await this.#checkSince({ ...watch, subject: list.subject }, since, event.outcome, signal);
    return begun(live.positions.begin(clock.now(), since));
  }

  /** Throws the error with which a page of the list would be refused. An estimate checks it all and reads nothing. */
  async #checkSince(
    watch: WantedList & { readonly watchId: string; readonly keyHash: string },
    since: string,
    { rate }: Outcome,
    signal: AbortSignal,
  ): Promise<void> {
    const { serve, clock, form } = this.#options;
    const { call } = watchCall(form, watch);
    const { variables, ...params } = call.parse();
    const outcome = await serve({
      ...call,
      requestId: v7({ msecs: clock.now() }),
      document: { name: watch.read.operation },
      parse: () => ({ ...params, variables: { ...variables, since }, estimate: true }),
      admitted: rate ?? undefined,
      signal: lazySignal(signal),
    });
    const refused = outcome.result.kind === 'refusal' ? outcome.result.failure : outcome.result.estimate?.refused;
    if (refused) throw namedAs(refused, watch.read);
  }
}

interface WantedList {
  readonly read: ListRead;
  readonly kind: ListRead['kind'];
  readonly subject: string;
  readonly product: Product | null;
  readonly count: number;
}

const withoutRead = ({ kind, subject, product, count }: WantedList) => ({ kind, subject, product, count });

/** Throws `bad_request` unless exactly one list is named, and it can be followed. */
function wantedList({ subjects, product, count }: WatchRequest): WantedList {
  const named = FOLLOWED_READS.flatMap((read) => {
    const subject = subjects[subjectParameter(read)];
    return subject == null ? [] : [{ read, subject }];
  });
  const [wanted] = named;
  if (wanted === undefined || named.length > 1) {
    const names = FOLLOWED_READS.map(subjectParameter);
    const said = named.length === 0 ? 'none is named' : `${named.length} are named`;
    throw badRequest(`Name one list to watch, by ${names.join(', ')}: ${said}.`, names[0]);
  }
  const { read } = wanted;
  const isSearch = read.list.products !== undefined;
  const subject = isSearch ? normaliseQuery(wanted.subject) : wanted.subject;
  if (product != null && !isSearch) throw badRequest('product is for a search: send it with q.', 'product');
  const chosen = isSearch ? (product ?? 'Latest') : null;
  if (chosen !== null && !hasSince({ kind: read.kind, product: chosen }))
    throw badRequest(`product ${chosen} is not ordered by time, so it cannot be watched.`, 'product');
  const { initial, max } = read.size;
  if (count != null && (count < 1 || count > max)) throw outOfBounds('count', { min: 1, max }, String(count));
  return { read, kind: read.kind, subject, product: chosen, count: count ?? initial };
}

/** The failure with the parameter by which the caller named the list's subject. */
function namedAs(failure: ServiceError, read: ListRead): ServiceError {
  if (failure.detail.param !== 'id') return failure;
  return new ServiceError(failure.code, failure.message, { ...failure.detail, param: subjectParameter(read) });
}

function refusalOf({ result }: Outcome, read: ListRead): ServiceError {
  if (result.kind === 'answer') throw new TypeError('An answer is no failure.');
  return namedAs(result.failure, read);
}

function found(watch: WatchRecord | undefined): WatchRecord {
  if (watch !== undefined) return watch;
  throw new ServiceError('not_found', 'This account has no such watch.');
}

/** Throws `bad_request`. */
function limitOf(credits: number | null | undefined): Thousandths | null {
  if (credits == null) return null;
  const amount = parseCredits(String(credits));
  if (amount !== undefined && amount > 0) return amount;
  throw badRequest(
    'max_credits_per_day must be more than 0, with at most three decimals. Leave it out for no limit.',
    'max_credits_per_day',
  );
}

/** Bounds the bytes of all bodies in the answer to one operation. */
class BodyLimit {
  readonly #call: () => AbortSignal;
  readonly #tooMany = new AbortController();
  #signal: AbortSignal | undefined;
  #bytes = 0;

  constructor(call: () => AbortSignal) {
    this.#call = call;
  }

  /** Fires with the call, or once there are too many bytes: pages that are still being read are then of no use. */
  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([this.#call(), this.#tooMany.signal]);
    return this.#signal;
  }

  /** Throws `bad_request` if there are too many, except on a first page: it is as short as it can be. */
  count(deliveries: readonly WatchDelivery[], copies: number): void {
    const isFirst = this.#bytes === 0 && copies <= 1;
    this.#bytes += copies * deliveries.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
    if (isFirst || this.#bytes <= MOST_DELIVERY_BYTES) return;
    const refusal = badRequest(
      `One operation can return at most ${MOST_DELIVERY_BYTES / 2 ** 20} MiB of bodies of deliveries in all its fields together. Request smaller pages, request each body once, or send several operations.`,
    );
    this.#tooMany.abort(refusal);
    throw refusal;
  }
}

const inTurn = (): ServiceError =>
  badRequest(
    'This delivery is sent once all earlier ones have been received or given up. If the watch is paused, resume it: it then sends them in order.',
  );

const tooMany = (most: number): ServiceError =>
  badRequest(`This account has ${most} watches, the most that its tier allows. End one, or pay for a higher tier.`);

const another = ({ watchId, count, dailyLimit }: WatchRecord): ServiceError =>
  badRequest(
    `Watch ${watchId} already follows this list to this address, with count ${count}, ${dailyLimit === null ? 'no daily limit' : `${toCredits(dailyLimit)} credits a day`} and perhaps another key. End it first.`,
    'webhook_url',
  );
