import type { FastifyInstance } from 'fastify';
import { limitAddress } from '../../../src/access/address.js';
import { ServiceError } from '../../../src/domain/errors.js';
import { counted } from '../../../src/domain/figures.js';
import { FairShare } from '../../../src/lib/fair-share.js';
import { monotonic } from '../../../src/lib/monotonic.js';
import { hasBody } from '../request-head.js';

/** Bytes. */
const USUAL_LIMIT = 64 * 1024;

/**
 * Bounds the bodies in transit, which take memory before their caller is known: `total` bodies of 64 KiB, and the same
 * number of bytes on routes that allow larger ones. One address is bounded by the dynamic threshold (`FairShare`). A
 * body that arrives with its head, as nearly all do, is complete at once and does not count.
 */
export function boundBodies(app: FastifyInstance, total: number, longestMs: number, refused: () => void): void {
  const shares = new Map<number, FairShare>();
  const shareForLimit = (limit: number): FairShare => {
    const slots = Math.max(1, Math.floor(total / Math.max(1, limit / USUAL_LIMIT)));
    const share = shares.get(limit) ?? new FairShare({ total: slots, longestMs, monotonic });
    shares.set(limit, share);
    return share;
  };
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!hasBody(request)) return done(null, payload);
    const share = shareForLimit(request.routeOptions.bodyLimit ?? USUAL_LIMIT);
    const holder = limitAddress(request.ip);
    const taken = share.take(holder);
    if (taken === null) {
      refused();
      // The rest of the body is not read.
      reply.header('Connection', 'close');
      return done(tooMany(share, holder), payload);
    }
    payload.once('end', taken.release);
    reply.raw.once('close', taken.release);
    done(null, payload);
  });
}

function tooMany(share: FairShare, holder: string): ServiceError {
  const own = share.countOf(holder);
  const [reason, message] =
    own === 0
      ? ['overloaded', `All ${counted(share.total, ...BODY)} allowed at a time are being sent.`]
      : [
          'address_busy',
          `This IP address is sending ${counted(own, ...BODY)}, its share of the ${share.total} allowed in total: send them faster, or fewer at a time.`,
        ];
  const retryAfter = Math.max(1, share.waitMs(holder) / 1000);
  return new ServiceError('upstream_rate_limited', `${message} Nothing was charged.`, { reason, retryAfter });
}

const BODY = ['request body', 'request bodies'] as const;
