import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../src/core/errors.js';
import { createWorkSet } from './work-set.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** How busy this process is, and what it has refused since it started. */
    pressure: Pressure;
  }
}

export interface Pressure {
  /** Requests whose answer is being worked on; a body that has not arrived and an answer that is not read are none. */
  readonly inFlight: number;
  /** Requests refused because the process was at capacity. */
  readonly shed: number;
}

export interface Capacity {
  /** Requests worked on at a time. */
  readonly maxInFlight: number;
  /** Resident memory; null: nine tenths of the container's, shared among the processes, if it has a limit. */
  readonly maxRssBytes: number | null;
  /** Processes that share the container's memory. */
  readonly processes: number;
}

export const UNBOUNDED: Capacity = { maxInFlight: Infinity, maxRssBytes: null, processes: 1 };

/** A timer that is two seconds late means that nobody is served in time. A busy machine is late by some 100 ms. */
const MAX_LOOP_DELAY_MS = 2000;

/** A single stall longer than this counts as endless delay: shorter ones must be none, nor spoil the mean. */
const SAMPLE_MS = 5000;

/** Who watches the service must hear from it most when it is busy. Metrics have a port of their own. */
const NEVER_SHED: ReadonlySet<string | undefined> = new Set(['/healthz', '/status']);

/**
 * Beyond capacity a request is refused at once with 503 and Retry-After, before it slows the others. Delay and memory
 * are measured every few seconds and tell late; the bound on requests in flight holds at every moment. How busy the loop is
 * doesn't count: at full throughput it is always busy.
 */
export async function shedOverload(app: FastifyInstance, capacity: Capacity): Promise<void> {
  const working = createWorkSet();
  let shed = 0;
  // One to three seconds by turns, so that those refused together don't come back together.
  const refuse = (cause: string): never => {
    shed += 1;
    throw new ServiceError(
      'upstream_rate_limited',
      'This service is at capacity: try again shortly. Nothing was charged.',
      {
        reason: 'overloaded',
        retryAfter: 1 + (shed % 3),
        cause: new Error(cause),
      },
    );
  };
  app.decorate('pressure', {
    get inFlight() {
      return working.size;
    },
    get shed() {
      return shed;
    },
  });
  await app.register(underPressure, {
    maxEventLoopDelay: MAX_LOOP_DELAY_MS,
    sampleInterval: SAMPLE_MS,
    maxRssBytes: capacity.maxRssBytes ?? containerShareBytes(capacity.processes, process.constrainedMemory()),
    async pressureHandler(request, _reply, type, value) {
      if (!NEVER_SHED.has(request.routeOptions.url)) refuse(`${type} is ${value}`);
    },
  });
  // Once the body is here: who sends it slowly takes no place from others.
  app.addHook('preValidation', (request, reply, done) => {
    if (NEVER_SHED.has(request.routeOptions.url)) return done();
    if (working.size >= capacity.maxInFlight) refuse(`${working.size} requests are in flight`);
    working.add(request);
    // However else it ends: aborted, or answered past the framework.
    reply.raw.once('close', () => working.delete(request));
    done();
  });
  // The answer is there. Until it is read it costs memory (connections.ts), not work.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    working.delete(request);
    done();
  });
}

/** Bytes; 0: no limit. A container without one reports none, or more than any machine has. */
export function containerShareBytes(processes: number, constrainedBytes: number): number {
  if (constrainedBytes <= 0 || constrainedBytes > Number.MAX_SAFE_INTEGER) return 0;
  return Math.floor((constrainedBytes * 0.9) / processes);
}
