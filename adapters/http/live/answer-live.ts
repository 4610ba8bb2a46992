import { setMaxListeners } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LiveBudget } from '../../../src/live/budget.js';
import type { Live, LiveCall, LiveEvent } from '../../../src/live/live.js';
import type { LivePosition } from '../../../src/live/positions.js';
import type { Outcome } from '../../../src/serve/call.js';
import { limitHeaders } from '../headers.js';
import { type Form, sendOutcome } from '../outcome.js';
import { senderParts } from '../request.js';
import type { EventStream, ServerSentEvent } from './event-stream.js';

/** One list of a stream. */
export interface FollowedList {
  readonly call: LiveCallPart;
  /** What is asked, but for where it begins. */
  readonly asked: string;
  readonly from: LivePosition;
}

/** What a client says of where it has come to, and where a stream of so many lists therefore begins. */
export function readStart(live: Live, { headers }: FastifyRequest, since: string | null, count: number) {
  const lastEventId = headers['last-event-id']?.toString() ?? '';
  const positions = live.positions.startsOf({ lastEventId, since, count, now: Date.now() });
  return { positions, isResumed: lastEventId !== '' };
}

/** What an interface says of a list's call; who calls is the same for all. */
export type LiveCallPart = Omit<LiveCall, 'credential' | 'address' | 'onAdmitted'>;

/** How an interface writes what happens to its streams. */
export interface LiveForm {
  /** For a stream of which no list can be followed. */
  readonly refusal: Form;
  /** Answers in another way what could not be followed; false: it is refused. */
  readonly otherwise?: (outcome: Outcome) => Promise<boolean>;
  /** The first event; null: none. */
  readonly open: () => ServerSentEvent | null;
  readonly heartbeat: () => ServerSentEvent | null;
  /** `index`: which of the lists it is. Null: nothing is sent. */
  readonly event: (index: number, event: LiveEvent) => ServerSentEvent | null;
  /** The last event, once no list is followed any more. */
  readonly close: () => ServerSentEvent | null;
}

/** Lists of one stream that begin at the same time: each may have to wait for the network. */
const BEGIN_AT_ONCE = 8;

/** What a stream is to send, and how. */
export interface LiveAnswer {
  readonly lists: readonly FollowedList[];
  /** Whether its client has come back to it. */
  readonly isResumed: boolean;
  readonly budget: LiveBudget;
  readonly form: LiveForm;
}

/** Answers a request with a stream of what is new in some lists; with a refusal if none of them can be followed. */
export async function answerLive(
  live: Live,
  { lists, isResumed, budget, form }: LiveAnswer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { eventStreams } = request.server;
  const over = new AbortController();
  // Each list waits with it.
  setMaxListeners(4 * lists.length + 10, over.signal);
  const places: (() => void)[] = [];
  const end = (): void => {
    over.abort(new DOMException('The stream is over.', 'AbortError'));
    for (const giveBack of places.splice(0)) giveBack();
  };
  reply.raw.on('close', end);
  let stream: EventStream | undefined;
  let following = 0;
  let begun = 0;
  const refused: [index: number, event: Extract<LiveEvent, { kind: 'end' }>][] = [];

  const begin = async (index: number): Promise<void> => {
    const { call, asked, from } = lists[index] as FollowedList;
    const onAdmitted = (accountId: string, qps: number): void => {
      if (!isTaken) places.push(eventStreams.take(accountId, qps));
      isTaken = true;
    };
    let isTaken = false;
    const events = live.follow({
      call: { ...call, ...senderParts(request), onAdmitted },
      ...{
        asked,
        from,
        isResumed,
        isShort: lists.length > 1,
        mayWait: index > 0,
        finishes: false,
        budget,
        signal: over.signal,
      },
    });
    const first = await events.next();
    if (first.done) return;
    if (first.value.kind === 'end') refused.push([index, first.value]);
    if (first.value.kind === 'begin') {
      request.outcome ??= first.value.outcome;
      open(first.value.outcome);
      following += 1;
      forward(index, first.value, events).catch((err: unknown) => {
        request.log.error({ err }, 'A stream could not be written.');
        stream?.close();
      });
    }
    tellRefused();
  };

  /** A list that can't be followed does not end the others. */
  const tellRefused = (): void => {
    if (stream !== undefined) for (const [index, event] of refused.splice(0)) send(form.event(index, event));
  };

  const open = (outcome: Outcome): void => {
    if (stream !== undefined) return;
    stream = eventStreams.open(request, reply, [limitHeaders(outcome)], form.heartbeat);
    send(form.open());
  };

  const send = (event: ServerSentEvent | null): void => {
    if (event !== null) stream?.send(event);
  };

  const forward = async (index: number, first: LiveEvent, events: AsyncGenerator<LiveEvent, void>): Promise<void> => {
    send(form.event(index, first));
    await stream?.read();
    for await (const event of events) {
      send(form.event(index, event));
      await stream?.read();
    }
    following -= 1;
    if (following === 0 && begun === lists.length) finish();
  };

  const finish = (): void => {
    send(form.close());
    stream?.close();
  };

  for (let index = 0; index < lists.length && !over.signal.aborted; index = begun) {
    // The first decides whether the caller is let in at all.
    const some = lists.slice(index, index + (index === 0 ? 1 : BEGIN_AT_ONCE)).map((_, nth) => index + nth);
    await Promise.all(some.map(begin));
    begun += some.length;
  }
  if (stream === undefined) {
    end();
    const [first] = refused;
    // The client has left.
    if (first === undefined) return reply.hijack();
    const { outcome } = first[1];
    if (await form.otherwise?.(outcome)) return reply;
    return sendOutcome(form.refusal, outcome, request, reply);
  }
  if (following === 0) finish();
  return reply;
}
