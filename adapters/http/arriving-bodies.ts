import type { FastifyInstance, FastifyRequest } from 'fastify';
import { limitAddress } from '../../src/access/address.js';
import { ServiceError } from '../../src/core/errors.js';
import { FairShare } from '../../src/core/fair-share.js';
import { monotonic } from '../../src/core/monotonic.js';

/** Bytes (P13). */
const USUAL_LIMIT = 64 * 1024;

/**
 * Bounds the bodies that are on their way, which are in memory and of nobody known yet: `total` of 64 KiB, and as many bytes of those
 * that may be larger; of one address by the dynamic threshold (`FairShare`). A body that comes with its head, as nearly all do, is here at once and counts for nothing.
 */
export function boundBodies(app: FastifyInstance, total: number, longestMs: number, refused: () => void): void {
  const shares = new Map<number, FairShare>();
  const shareOf = (limit: number): FairShare => {
    const slots = Math.max(1, Math.floor(total / Math.max(1, limit / USUAL_LIMIT)));
    const share = shares.get(limit) ?? new FairShare({ total: slots, longestMs, monotonic });
    shares.set(limit, share);
    return share;
  };
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!hasBody(request)) return done(null, payload);
    const share = shareOf(request.routeOptions.bodyLimit ?? USUAL_LIMIT);
    const holder = limitAddress(request.ip);
    const taken = share.take(holder);
    if (taken === null) {
      refused();
      // The rest of it is not waited for.
      reply.header('Connection', 'close');
      const reason = share.countOf(holder) === 0 ? 'overloaded' : 'address_busy';
      const message = `This IP address is sending ${share.countOf(holder)} request bodies, its share of ${share.total}: send them faster, or fewer at a time. Nothing was charged.`;
      const retryAfter = Math.max(1, share.waitMs(holder) / 1000);
      return done(new ServiceError('upstream_rate_limited', message, { reason, retryAfter }), payload);
    }
    payload.once('end', taken.release);
    reply.raw.once('close', taken.release);
    done(null, payload);
  });
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
