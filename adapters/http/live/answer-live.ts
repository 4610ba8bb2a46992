import { setMaxListeners } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceError } from '../../../src/domain/errors.js';
import { MINUTE_MS } from '../../../src/lib/durations.js';
import { pause } from '../../../src/lib/monotonic.js';
import type { LiveBudget } from '../../../src/live/budget.js';
import { type Checked, SHORTEST_MS } from '../../../src/live/feed.js';
import type { Live, LiveCall, LiveEvent } from '../../../src/live/live.js';
import type { LivePosition } from '../../../src/live/positions.js';
import { isPassing } from '../../../src/live/refusals.js';
import type { Outcome } from '../../../src/serve/call.js';
import { limitHeaders } from '../headers.js';
import { sendOutcome } from '../outcome.js';
import type { Form } from '../plans.js';
import { senderParts } from '../request.js';
import type { EventStream, ServerSentEvent } from './event-stream.js';

/** One list of a stream. */
export interface FollowedList {
  readonly call: LiveCallPart;
  /** What is asked for, without the position at which it begins. */
  readonly queryKey: string;
  readonly from: LivePosition;
}

/** Where a stream of `count` lists begins, according to the position that its client names. */
export function readStart(live: Live, { headers }: FastifyRequest, since: string | null, count: number) {
  const lastEventId = headers['last-event-id']?.toString() ?? '';
  const positions = live.positions.startsOf({ lastEventId, since, count, now: Date.now() });
  const spent = live.positions.spentBefore(lastEventId);
  return { positions, isResumed: lastEventId !== '', spent };
}

/** The part of a list's call that its interface decides; the caller is the same for all lists. */
export type LiveCallPart = Omit<LiveCall, 'credential' | 'address' | 'onAdmitted'>;

/** How an interface writes what happens to its streams. */
export interface LiveForm {
  /** How a stream is refused of which no list can be followed. */
  readonly refusal: Form;
  /** Answers a call that could not be followed in another way; false: it does not, so the call is refused. */
  readonly otherwise?: (outcome: Outcome) => Promise<boolean>;
  /** The first event; null: none. */
  readonly open: () => ServerSentEvent | null;
  readonly heartbeat: () => ServerSentEvent | null;
  /** `index`: which of the lists it is. Null: nothing is sent. */
  readonly event: (index: number, event: LiveEvent) => ServerSentEvent | null;
  /** A list of an open stream could not begin yet. Left out if streams have one list. */
  readonly late?: (index: number, checked: Checked) => void;
  /** The last event, once no list is followed any more. */
  readonly close: () => ServerSentEvent | null;
}

/** How many lists of one stream begin at the same time. Each may have to wait for the network. */
const BEGIN_AT_ONCE = 8;

/** How long a stream waits at most before it tries again to begin lists that could not be read, milliseconds. */
const LONGEST_AGAIN_MS = MINUTE_MS;

/** A list that can't be followed, and why. */
type Refused = readonly [index: number, event: Extract<LiveEvent, { kind: 'end' }>];

const failureOf = ([, { outcome }]: Refused): ServiceError => {
  if (outcome.result.kind === 'answer') throw new TypeError('An answer is no failure.');
  return outcome.result.failure;
};

/** Whether its account follows as many lists as it may. */
const foundNoPlace = (refused: Refused): boolean => failureOf(refused).detail.reason === 'streams';

/**
 * Whether a list may be followed later. Without a place, only if its client has come back: the connection that it lost
 * may hold places for a while. Otherwise, the client can change that.
 */
const mayBeginLater = (refused: Refused, isResumed: boolean): boolean =>
  isPassing(failureOf(refused).code) && (isResumed || !foundNoPlace(refused));

/** What a stream is to send, and how. */
export interface LiveAnswer {
  readonly lists: readonly FollowedList[];
  /** Whether its client has come back to it. */
  readonly isResumed: boolean;
  readonly budget: LiveBudget;
  readonly form: LiveForm;
}

/**
 * Answers a request with a stream of the new items of some lists, or with a refusal if its caller is not admitted or
 * none of them can be followed.
 */
export const answerLive = (
  live: Live,
  answer: LiveAnswer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => new FollowedStream(live, answer, request, reply).answer();

/** One request, and the stream that answers it once one of its lists is followed. */
class FollowedStream {
  readonly #live: Live;
  readonly #answer: LiveAnswer;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #over = new AbortController();
  /** Functions that give back the places that its lists take. */
  readonly #places = new Set<() => void>();
  /** Lists that can't be followed, which the client was not told yet. */
  #refused: Refused[] = [];
  /** Lists that may be followed later. */
  #late: Refused[] = [];
  #stream: EventStream | undefined;
  /** Whether the caller may follow one more list; undefined until it is admitted. */
  #hasPlace: (() => boolean) | undefined;
  #following = 0;
  /** Whether no list is still to begin. */
  #isBegun = false;

  constructor(live: Live, answer: LiveAnswer, request: FastifyRequest, reply: FastifyReply) {
    this.#live = live;
    this.#answer = answer;
    this.#request = request;
    this.#reply = reply;
    // Each list listens to this signal.
    setMaxListeners(4 * answer.lists.length + 10, this.#over.signal);
  }

  async answer(): Promise<FastifyReply> {
    const { form, lists } = this.#answer;
    this.#reply.raw.on('close', () => this.#end());
    let left = [...lists.keys()];
    for (let waitMs = SHORTEST_MS; ; waitMs = Math.min(LONGEST_AGAIN_MS, 2 * waitMs)) {
      await this.#beginAll(left);
      if (this.#stream === undefined) return this.#refuse();
      const late = this.#late.splice(0);
      if (late.length === 0 || this.#over.signal.aborted) break;
      for (const refused of late)
        form.late?.(refused[0], { at: Date.now(), everyMs: waitMs, failed: failureOf(refused).code });
      await pause(waitMs, this.#over.signal);
      // Each try counts against the rate, so none is made that is sure to fail.
      this.#late = late.filter((refused) => foundNoPlace(refused) && !this.#hasPlace?.());
      left = late.filter((refused) => !this.#late.includes(refused)).map(([index]) => index);
    }
    this.#isBegun = true;
    if (this.#following === 0) this.#finish();
    return this.#reply;
  }

  async #beginAll(indexes: readonly number[]): Promise<void> {
    const left = [...indexes];
    while (left.length > 0 && !this.#over.signal.aborted) {
      // The first list decides whether the caller is admitted at all: the others would be refused alike, or wait.
      if (left[0] !== 0 && this.#hasPlace === undefined) return;
      const some = left.splice(0, left[0] === 0 ? 1 : BEGIN_AT_ONCE);
      await Promise.all(some.map((index) => this.#begin(index)));
    }
  }

  async #begin(index: number): Promise<void> {
    const events = this.#follow(index);
    const first = await events.next();
    if (first.done) return;
    if (first.value.kind === 'end') {
      const refused: Refused = [index, first.value];
      (mayBeginLater(refused, this.#answer.isResumed) ? this.#late : this.#refused).push(refused);
      await events.return();
    }
    if (first.value.kind === 'begin') {
      this.#request.outcome ??= first.value.outcome;
      this.#open(first.value.outcome);
      this.#following += 1;
      this.#forward(index, first.value, events).catch((err: unknown) => {
        this.#request.log.error({ err }, 'A stream could not be written.');
        this.#stream?.close();
      });
    }
    // A list that can't be followed does not end the others.
    if (this.#stream !== undefined)
      for (const [nth, event] of this.#refused.splice(0)) this.#send(this.#answer.form.event(nth, event));
  }

  /** Follows a list. When the list ends it gives its place back, even if others go on. */
  async *#follow(index: number): AsyncGenerator<LiveEvent, void> {
    const { lists, isResumed, budget } = this.#answer;
    const { call, queryKey, from } = lists[index] as FollowedList;
    const { eventStreams } = this.#request.server;
    let giveBack: (() => void) | undefined;
    const onAdmitted = (accountId: string, qps: number): void => {
      if (giveBack !== undefined) return;
      giveBack = eventStreams.take(accountId, qps);
      this.#hasPlace = () => eventStreams.hasPlace(accountId, qps);
      this.#places.add(giveBack);
    };
    try {
      yield* this.#live.follow({
        call: { ...call, ...senderParts(this.#request), onAdmitted },
        ...{ queryKey, from, isResumed, budget, isShort: lists.length > 1, finishes: false },
        mayWait: index > 0 || this.#stream !== undefined,
        signal: this.#over.signal,
      });
    } finally {
      giveBack?.();
      if (giveBack !== undefined) this.#places.delete(giveBack);
    }
  }

  #open(outcome: Outcome): void {
    if (this.#stream !== undefined) return;
    const { eventStreams } = this.#request.server;
    const { form } = this.#answer;
    this.#stream = eventStreams.open(this.#request, this.#reply, [limitHeaders(outcome)], form.heartbeat);
    this.#send(form.open());
  }

  async #forward(index: number, first: LiveEvent, events: AsyncGenerator<LiveEvent, void>): Promise<void> {
    const { form } = this.#answer;
    this.#send(form.event(index, first));
    await this.#stream?.read();
    for await (const event of events) {
      this.#send(form.event(index, event));
      await this.#stream?.read();
    }
    this.#following -= 1;
    if (this.#following === 0 && this.#isBegun) this.#finish();
  }

  #send(event: ServerSentEvent | null): void {
    if (event !== null) this.#stream?.send(event);
  }

  #finish(): void {
    this.#send(this.#answer.form.close());
    this.#stream?.close();
  }

  async #refuse(): Promise<FastifyReply> {
    this.#end();
    // A client comes back after a failure that passes.
    const [first] = [...this.#late, ...this.#refused];
    // The client has left.
    if (first === undefined) return this.#reply.hijack();
    const { outcome } = first[1];
    const { form } = this.#answer;
    if (await form.otherwise?.(outcome)) return this.#reply;
    return sendOutcome(form.refusal, outcome, this.#request, this.#reply);
  }

  #end(): void {
    this.#over.abort(new DOMException('The stream is over.', 'AbortError'));
    for (const giveBack of this.#places) giveBack();
  }
}
