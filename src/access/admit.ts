import type { Limiter, RateDecision } from '../ports/shared.js';
import type { Caller } from '../ports/truth.js';
import { limitAddress } from './address.js';
import { PUBLIC_QPS } from './rate-headers.js';

export interface Admit {
  /** One request of the account, shared by all its keys; policy `account`. A new tier counts at once (L8). */
  admit(caller: Pick<Caller, 'accountId' | 'qps'>): Promise<RateDecision>;
  /** One keyless request of an address, or of a /64 of them (`limitAddress`); policy `public`. */
  admitPublic(address: string): Promise<RateDecision>;
}

/** Asks, and refuses nothing itself: whoever answers needs the decision for the headers either way. */
export const createAdmit = ({ limiter }: { limiter: Limiter }): Admit => ({
  admit: (caller) => limiter.take(`account:${caller.accountId}`, caller.qps),
  admitPublic: (address) => limiter.take(`public:${limitAddress(address)}`, PUBLIC_QPS),
});
