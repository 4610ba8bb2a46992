import type { Caller } from '../ports/accounts.js';
import type { RateDecision, RateLimiter } from '../ports/rate-limiter.js';
import { limitAddress } from './address.js';
import { PUBLIC_QPS } from './rate-headers.js';

export interface Admit {
  /** One request of the account, shared by all its keys; policy `account`. A new tier counts at once (L8). */
  admit(caller: Pick<Caller, 'accountId' | 'qps'>): Promise<RateDecision>;
  /** One keyless request of an address, or of a /64 of them (`limitAddress`); policy `public`. */
  admitPublic(address: string): Promise<RateDecision>;
  /** One message of a protocol's own, such as a handshake: of the account, and as many as under `public`. */
  admitHandshake(caller: Pick<Caller, 'accountId'>): Promise<RateDecision>;
}

/** Asks the rate limiter and refuses nothing itself: the decision is needed for the headers either way. */
export const createAdmit = ({ limiter }: { limiter: RateLimiter }): Admit => ({
  admit: (caller) => limiter.take(`account:${caller.accountId}`, caller.qps),
  admitPublic: (address) => limiter.take(`public:${limitAddress(address)}`, PUBLIC_QPS),
  admitHandshake: (caller) => limiter.take(`greeting:${caller.accountId}`, PUBLIC_QPS),
});
