import type { Soon } from '../lib/soon.js';
import type { Caller } from '../ports/accounts.js';
import type { RateDecision, RateLimiter } from '../ports/rate-limiter.js';
import { limitAddress } from './address.js';
import { PUBLIC_QPS } from './rate-headers.js';

export interface Admit {
  /** One request of the account, shared by all its keys; policy `account`. A new tier takes effect at once (L8). */
  admit(caller: Pick<Caller, 'accountId' | 'qps'>): Soon<RateDecision>;
  /** One keyless request from an address, or from a /64 (`limitAddress`); policy `public`. */
  admitPublic(address: string): Soon<RateDecision>;
  /** One health check from an address: counted separately from its other requests, under the same policy. */
  admitCheck(address: string): Soon<RateDecision>;
  /**
   * One request from an address for static content, the same for everyone: counted separately, under the same policy.
   */
  admitStatic(address: string): Soon<RateDecision>;
  /**
   * One message of the protocol itself (a handshake takes three in a row): counted separately from reads, at the rate
   * of the account or of `public`, whichever is higher.
   */
  admitHandshake(caller: Pick<Caller, 'accountId' | 'qps'>): Soon<RateDecision>;
}

/** Asks the rate limiter and refuses nothing itself: the decision is needed for the headers either way. */
export const createAdmit = ({ limiter }: { limiter: RateLimiter }): Admit => ({
  admit: (caller) => limiter.take(`account:${caller.accountId}`, caller.qps),
  admitPublic: (address) => limiter.take(`public:${limitAddress(address)}`, PUBLIC_QPS),
  admitCheck: (address) => limiter.take(`checks:${limitAddress(address)}`, PUBLIC_QPS),
  admitStatic: (address) => limiter.take(`static:${limitAddress(address)}`, PUBLIC_QPS),
  admitHandshake: (caller) => limiter.take(`greeting:${caller.accountId}`, Math.max(caller.qps, PUBLIC_QPS)),
});
