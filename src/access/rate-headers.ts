import type { RateDecision } from '../ports/rate-limiter.js';

/** The two rate policies (L2): for an account, and for an address that sends no key. */
export type Policy = 'account' | 'public';

/** Requests per second from one address to anything that needs no key (section 8.1.6). */
export const PUBLIC_QPS = 10;

/** `RateLimit-Policy`. A 401 and an unknown path have it with `account` and the starting rate (L6, L9). */
export const policyHeader = (policy: Policy, limit: number): string => `${policy}; q=${limit}; w=1`;

/** Both headers of an answer, refused or not, if a bucket was asked. Exactly in the specified form (L1). */
export const rateLimitHeaders = (decision: RateDecision, policy: Policy) => ({
  RateLimit: `limit=${decision.limit}, remaining=${decision.remaining}, reset=${decision.resetSeconds}`,
  'RateLimit-Policy': policyHeader(policy, decision.limit),
});
