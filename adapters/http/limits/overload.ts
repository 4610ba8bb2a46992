import type { IncomingMessage } from 'node:http';
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ProcessorTime } from '../../../src/access/processor-time.js';
import { accountHolder, addressHolder, type WorkSlot, type WorkSlots } from '../../../src/access/work-slots.js';
import { ServiceError } from '../../../src/domain/errors.js';
import { boundBodies } from './arriving-bodies.js';
import type { Connections } from './connection-share.js';
import type { Patience } from './connections.js';
import { createWorkSet, type WorkSet } from './work-set.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** How busy this process is, and what it has refused since it started. */
    pressure: Pressure;
  }
  interface FastifyContextConfig {
    /**
     * Whose `WorkSlots` the route's requests use: the caller's, which the engine manages; or, if unset, their
     * address's.
     */
    sharedBy?: 'caller';
  }
}

/** The resources of the process that callers share. */
export interface Shares {
  readonly slots: WorkSlots;
  readonly processor: ProcessorTime;
}

export interface Pressure {
  /**
   * Requests whose answer is in progress; not those whose body is still arriving or whose answer is only being read.
   */
  readonly inFlight: number;
  /** Requests refused because the process was at capacity. */
  readonly shed: number;
  /** The shared resources, and who was refused a larger share of them; null where nothing is shared. */
  readonly shares: Shares | null;
  /** Open connections; null where they are not counted. */
  readonly connections: Connections | null;
  /** Requests refused because their address had used its share of the bodies in transit. */
  readonly bodiesRefused: number;
  /** Counts a request that is answered ahead of the framework, unless the process is at capacity. */
  enter(request: IncomingMessage): boolean;
  /** The answer to such a request is ready, or its client has left. */
  leave(request: IncomingMessage): void;
  /** Charges an account for bytes that were made for one answer alone. */
  chargeBytes(accountId: string, bytes: number): void;
}

export interface Capacity {
  /** Requests in progress at once. */
  readonly maxInFlight: number;
  /** Resident memory; null: nine tenths of the container's, shared among the processes, if it has a limit. */
  readonly maxRssBytes: number | null;
  /** Processes that share the container's memory. */
  readonly processes: number;
  /**
   * Two seconds by default. 0: unlimited, for tests, whose process also does the work of clients and of other tests.
   */
  readonly maxLoopDelayMs?: number;
  /** Connections open at once. Null: as many as the process's file limit allows; undefined: unbounded. */
  readonly maxConnections?: number | null;
}

export interface OverloadOptions {
  readonly capacity: Capacity;
  readonly shares: Shares | null;
  readonly connections: Connections | null;
  readonly patience: Patience;
}

/**
 * Processor time that is estimated rather than measured, in milliseconds. Set below what a slow machine took, so that
 * no caller pays for another.
 */
const COSTS = {
  /** Per byte of an answer that is not kept as bytes. */
  answerByte: 1e-5,
  /** For any request that the engine does not count, and per byte of a page that is rendered and compressed for it. */
  page: 0.1,
  pageByte: 2e-5,
} as const;

export const UNBOUNDED: Capacity = { maxInFlight: Infinity, maxRssBytes: null, processes: 1 };

/** A timer that is two seconds late means that no request is served in time. A busy machine is late by about 100 ms. */
const MAX_LOOP_DELAY_MS = 2000;

/** A single stall longer than this counts as endless delay. Shorter stalls must not, nor may they distort the mean. */
const SAMPLE_MS = 5000;

/** Monitoring needs answers most of all when the service is busy. Metrics have their own port. */
const NEVER_SHED: ReadonlySet<string | undefined> = new Set(['/healthz', '/status']);

/**
 * Beyond capacity a request is refused at once with 503 and Retry-After, before it slows the others down. Delay and
 * memory are measured every few seconds, and so react late; the bound on requests in flight applies at every moment.
 * The event loop's utilisation doesn't count: at full throughput it is always busy.
 */
export async function shedOverload(app: FastifyInstance, options: OverloadOptions): Promise<void> {
  const { capacity, shares, patience } = options;
  const working = createWorkSet();
  const refused = { shed: 0, bodies: 0 };
  // One to three seconds in rotation, so that requests refused together don't return together.
  const refuse = (cause: string): never => {
    refused.shed += 1;
    throw new ServiceError(
      'upstream_rate_limited',
      'The service is at capacity. Try again shortly; nothing was charged.',
      {
        reason: 'overloaded',
        retryAfter: 1 + (refused.shed % 3),
        cause: new Error(cause),
      },
    );
  };
  // Requests that wait for another call's read take memory but no work, and have their own bound.
  const isFull = () => working.size - (shares?.slots.beside ?? 0) >= capacity.maxInFlight;
  app.decorate('pressure', createPressure(app, options, { working, isFull, refused }));
  if (shares) boundBodies(app, capacity.maxInFlight, patience.requestMs + patience.lookMs, () => (refused.bodies += 1));
  const maxRssBytes = capacity.maxRssBytes ?? containerShareBytes(capacity.processes, process.constrainedMemory());
  app.addHook('onListen', (done) => {
    const { rss } = process.memoryUsage();
    if (maxRssBytes > 0 && rss > maxRssBytes) app.log.error(tooLittleMemory(rss, maxRssBytes));
    done();
  });
  await app.register(underPressure, {
    maxEventLoopDelay: capacity.maxLoopDelayMs ?? MAX_LOOP_DELAY_MS,
    sampleInterval: SAMPLE_MS,
    maxRssBytes,
    async pressureHandler(request, _reply, type, value) {
      if (mayBeShed(request)) refuse(`${type} is ${value}`);
    },
  });
  // Only once the body has arrived: a client that sends it slowly takes no slot from others.
  app.addHook('preValidation', (request, reply, done) => {
    if (!mayBeShed(request)) return done();
    if (isFull()) refuse(`${working.size} requests are in flight`);
    const slot = shares === null || isCallers(request) ? undefined : openToAddress(shares, request);
    working.add(request.raw, () => slot?.release());
    // Covers requests that end in another way: aborted, or answered without the framework.
    reply.raw.once('close', () => working.delete(request.raw));
    done();
  });
  // The answer is ready. Until the client has read it, it costs memory (connections.ts) but no work.
  app.addHook('onSend', (request, reply, payload, done) => {
    working.delete(request.raw);
    if (shares) chargeAnswer(shares, app.pressure, request, reply, payload);
    done();
  });
}

const tooLittleMemory = (rssBytes: number, maxRssBytes: number): string => {
  const [used, limit] = [rssBytes, maxRssBytes].map((bytes) => Math.ceil(bytes / 1024 ** 2));
  return `All requests will be refused with 503: this process already uses ${used} MiB of memory, and its limit is ${limit} MiB. Raise PERCH_MAX_RSS_MB or the memory of the container, or lower WORKERS.`;
};

interface Load {
  readonly working: WorkSet;
  readonly isFull: () => boolean;
  readonly refused: { readonly shed: number; readonly bodies: number };
}

/** The load of the process, and how requests that are answered outside the framework count in it. */
const createPressure = (
  app: FastifyInstance,
  { shares, connections }: OverloadOptions,
  { working, isFull, refused }: Load,
): Pressure => ({
  get inFlight() {
    return working.size;
  },
  get shed() {
    return refused.shed;
  },
  shares,
  connections,
  get bodiesRefused() {
    return refused.bodies;
  },
  enter(request) {
    if (app.isUnderPressure() || isFull()) return false;
    working.add(request, () => {});
    return true;
  },
  leave: (request) => working.delete(request),
  chargeBytes(accountId, bytes) {
    if (bytes > 0) shares?.processor.spend(accountHolder(accountId), bytes * COSTS.answerByte);
  },
});

const mayBeShed = ({ routeOptions }: FastifyRequest): boolean => !NEVER_SHED.has(routeOptions.url);

const isCallers = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.sharedBy === 'caller';

/**
 * For requests that the engine does not count: throws when their address has used up its slots or its processor share.
 */
function openToAddress({ slots, processor }: Shares, { ip }: FastifyRequest): WorkSlot {
  const holder = addressHolder(ip);
  processor.open(holder);
  const slot = slots.open();
  const busy = slot.countFor(holder);
  if (busy) throw busy;
  return slot;
}

/** Charges the caller for a body that was made for this request alone; kept bytes cost nothing. */
function chargeAnswer(
  { processor }: Shares,
  pressure: Pressure,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): void {
  const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
  const { outcome, ip, routeOptions } = request;
  if (!isCallers(request)) {
    // A refusal costs nothing, so a client that comes back when it is told to is admitted.
    if (NEVER_SHED.has(routeOptions.url) || reply.statusCode === 503) return;
    const made = reply.hasHeader('Content-Encoding') ? 0 : bytes * COSTS.pageByte;
    processor.spend(addressHolder(ip), COSTS.page + made);
    return;
  }
  if (!outcome || outcome.accountId === null || outcome.result.kind !== 'answer') return;
  pressure.chargeBytes(outcome.accountId, request.madeBytes ?? bytes);
}

/** Bytes; 0: no limit. A container without a limit reports none, or more than any machine has. */
export function containerShareBytes(processes: number, constrainedBytes: number): number {
  if (constrainedBytes <= 0 || constrainedBytes > Number.MAX_SAFE_INTEGER) return 0;
  return Math.floor((constrainedBytes * 0.9) / processes);
}
