import { setMaxListeners } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LiveBudget } from '../../../src/live/budget.js';
import type { Live, LiveCall, LiveEvent } from '../../../src/live/live.js';
import type { LivePosition } from '../../../src/live/positions.js';
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
  /** The last event, once no list is followed any more. */
  readonly close: () => ServerSentEvent | null;
}

/** How many lists of one stream begin at the same time. Each may have to wait for the network. */
const BEGIN_AT_ONCE = 8;

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
  readonly #places: (() => void)[] = [];
  /** Lists that can't be followed, which the client was not told yet. */
  readonly #refused: [index: number, event: Extract<LiveEvent, { kind: 'end' }>][] = [];
  #stream: EventStream | undefined;
  #isAdmitted = false;
  #following = 0;
  #begun = 0;

  constructor(live: Live, answer: LiveAnswer, request: FastifyRequest, reply: FastifyReply) {
    this.#live = live;
    this.#answer = answer;
    this.#request = request;
    this.#reply = reply;
    // Each list listens to this signal.
    setMaxListeners(4 * answer.lists.length + 10, this.#over.signal);
  }

  async answer(): Promise<FastifyReply> {
    const { lists } = this.#answer;
    this.#reply.raw.on('close', () => this.#end());
    for (let index = 0; index < lists.length && !this.#over.signal.aborted; index = this.#begun) {
      // The first list decides whether the caller is admitted at all: the others would be refused alike, or wait.
      if (index > 0 && !this.#isAdmitted) break;
      const some = lists.slice(index, index + (index === 0 ? 1 : BEGIN_AT_ONCE));
      await Promise.all(some.map((list, nth) => this.#begin(index + nth, list)));
      this.#begun += some.length;
    }
    if (this.#stream === undefined) return this.#refuse();
    if (this.#following === 0) this.#finish();
    return this.#reply;
  }

  async #begin(index: number, list: FollowedList): Promise<void> {
    const events = this.#follow(index, list);
    const first = await events.next();
    if (first.done) return;
    if (first.value.kind === 'end') {
      this.#refused.push([index, first.value]);
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
  async *#follow(index: number, { call, queryKey, from }: FollowedList): AsyncGenerator<LiveEvent, void> {
    const { lists, isResumed, budget } = this.#answer;
    const { eventStreams } = this.#request.server;
    let giveBack: (() => void) | undefined;
    const onAdmitted = (accountId: string, qps: number): void => {
      if (giveBack !== undefined) return;
      giveBack = eventStreams.take(accountId, qps);
      this.#isAdmitted = true;
      this.#places.push(giveBack);
    };
    try {
      yield* this.#live.follow({
        call: { ...call, ...senderParts(this.#request), onAdmitted },
        ...{ queryKey, from, isResumed, budget, isShort: lists.length > 1, mayWait: index > 0, finishes: false },
        signal: this.#over.signal,
      });
    } finally {
      giveBack?.();
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
    const { form, lists } = this.#answer;
    this.#send(form.event(index, first));
    await this.#stream?.read();
    for await (const event of events) {
      this.#send(form.event(index, event));
      await this.#stream?.read();
    }
    this.#following -= 1;
    if (this.#following === 0 && this.#begun === lists.length) this.#finish();
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
    const [first] = this.#refused;
    // The client has left.
    if (first === undefined) return this.#reply.hijack();
    const { outcome } = first[1];
    const { form } = this.#answer;
    if (await form.otherwise?.(outcome)) return this.#reply;
    return sendOutcome(form.refusal, outcome, this.#request, this.#reply);
  }

  #end(): void {
    this.#over.abort(new DOMException('The stream is over.', 'AbortError'));
    for (const giveBack of this.#places.splice(0)) giveBack();
  }
}
