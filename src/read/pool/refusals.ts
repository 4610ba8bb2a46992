import { ServiceError } from '../../domain/errors.js';
import { counted, figure } from '../../domain/figures.js';
import { QUEUE_SLOTS } from './queue-share.js';
import { type Closed, isTrusted, type Session } from './session.js';

/** What is read, and until when it may wait. */
export interface Wanted {
  readonly kind: string;
  readonly subject: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
  readonly leftMs: number;
}

/** Why no session may read this now, or undefined when one may, or will within `leftMs`. */
export function closedFor(
  sessions: readonly Session[],
  { kind, subject, nowMs, leftMs }: Wanted,
): ServiceError | undefined {
  const closed: Closed[] = [];
  const isOneTrusted = isTrusted(sessions, kind);
  for (const session of sessions.filter(({ isFor }) => isFor(kind))) {
    const why = session.closed(kind, subject) ?? (isOneTrusted ? session.suspicion(kind) : undefined);
    if (why === undefined) return undefined;
    closed.push(why);
  }
  // A resting session becomes free after a while; one that was refused is not tried again within a call.
  const resting = closed.filter(({ why }) => why !== 'refused').sort((one, other) => one.untilMs - other.untilMs);
  const [first] = resting;
  if (first === undefined) return closed[0]?.failure;
  if (first.why === 'resting' && first.untilMs - nowMs <= leftMs) return undefined;
  const retryAfter = seconds(first.untilMs - nowMs);
  if (resting.every(({ why }) => why === 'failing')) {
    const message = `The network has failed repeatedly, so requests to it are paused. Try again in ${retryAfter} s; nothing was charged.`;
    return new ServiceError('upstream_error', message, { retryAfter, cause: first.failure });
  }
  // `no_account` means that no session is left. One that has used up its calls of this kind works, and will have more.
  if (resting.some(({ failure }) => failure.code === 'upstream_rate_limited')) {
    const message = `The network's rate limit for this kind of read is used up. Try again in ${retryAfter} s; nothing was sent, and nothing was charged.`;
    return new ServiceError('upstream_rate_limited', message, { retryAfter, cause: first.failure });
  }
  const message = `No network session is available for this read. Try again in ${retryAfter} s; nothing was charged.`;
  return new ServiceError('no_account', message, { retryAfter, cause: first.failure });
}

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/** The read cannot be made in time at the current pace. It is refused at once, not after a wait (8.1.7, S2). */
export function queueTooLong(waitMs: number, leftMs: number): ServiceError {
  const retryAfter = seconds(waitMs - leftMs);
  const why =
    leftMs <= 0
      ? 'The deadline of this call passed before this read could be made'
      : `Too many reads are waiting for the network: this one would wait about ${seconds(waitMs)} s, but the call's deadline is in ${seconds(leftMs)} s`;
  const message = `${why}. Try again in ${retryAfter} s; nothing was charged.`;
  return new ServiceError('upstream_rate_limited', message, { retryAfter, reason: 'queue' });
}

/** The account has its full share of the queue. It alone is refused, until one of its own reads is made (8.1.7, L7). */
export function shareTaken(own: number, share: number, waitMs: number): ServiceError {
  const retryAfter = seconds(waitMs);
  const why =
    share < 1
      ? `The queue for the network is full: all ${figure(QUEUE_SLOTS)} slots are taken. Try again in ${retryAfter} s`
      : `This account has ${counted(Math.ceil(own), 'read')} waiting for the network; its share of the queue is currently ${figure(Math.floor(share))}. Try again in ${retryAfter} s with fewer at once`;
  const message = `${why}; nothing was charged.`;
  return new ServiceError('upstream_rate_limited', message, { retryAfter, reason: 'queue_share' });
}
