import { createHash, randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createClientStore, createGrantStore } from '../../../adapters/postgres/customers/grants.js';
import { Clients } from '../../../src/oauth/clients.js';
import { Consents } from '../../../src/oauth/consents.js';
import { Grants } from '../../../src/oauth/grants.js';
import { OAuthError } from '../../../src/oauth/oauth-error.js';
import { Tokens } from '../../../src/oauth/tokens.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { manualClock } from '../../kit/time/manual-clock.js';

const ADDRESSES = { baseUrl: 'https://perch.example', authUrl: 'https://perch.example' };
const CALLBACK = 'https://app.example/callback';
const VERIFIER = randomBytes(32).toString('base64url');
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const OVERLAP_MS = 60_000;

let database: FreshDatabase;

beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database?.drop());

/** One grant, made with its code, with every refresh token that it was ever given. */
async function newFamily() {
  const { sql } = database;
  const clock = manualClock();
  const store = createGrantStore(sql);
  const documents = { read: () => Promise.reject(new Error('no documents here')) };
  const clients = new Clients({ store: createClientStore(sql), documents, clock, randomBytes });
  const tokens = new Tokens({ clients, store, clock, randomBytes, pepper: 'p', secret: Buffer.alloc(32, 2) });
  const consents = new Consents({ store, clock, randomBytes, newId: randomUUID });
  const { accountId } = await createAccounts(sql).create({ name: 'Ada', email: null, paidUsd: 0, qpsOverride: null });
  const client_id = String((await clients.register({ redirect_uris: [CALLBACK] }, async () => {})).client_id);
  const request = {
    client: await clients.find(client_id),
    redirectUri: CALLBACK,
    redirectNamed: true,
    state: null,
    challenge: CHALLENGE,
    resource: null,
  };
  const code = await consents.allow(request, accountId, null, { who: 'customer', address: null });
  if (code === null) throw new Error('the account has too many apps');
  const given: string[] = [];
  const answer = async (fields: Record<string, string>): Promise<boolean> => {
    try {
      const { refresh_token } = await tokens.answer(new URLSearchParams({ client_id, ...fields }), ADDRESSES, null);
      if (!given.includes(refresh_token)) given.push(refresh_token);
      return true;
    } catch (error) {
      if (error instanceof OAuthError && error.code === 'invalid_grant') return false;
      throw error;
    }
  };
  return {
    clock,
    given,
    exchange: () => answer({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER }),
    refresh: (token: string) => answer({ grant_type: 'refresh_token', refresh_token: token }),
    revoke: (token: string) => tokens.revoke(new URLSearchParams({ token }), null),
    async live() {
      const now = new Date(clock.now());
      return sql<{ endsAt: Date }[]>`
        select expires_at as "endsAt" from keys
        where account_id = ${accountId} and revoked_at is null and expires_at > ${now}`;
    },
    isRevoked: async () =>
      (await new Grants({ store, clock }).list(accountId)).some(({ revokedAt }) => revokedAt !== null),
  };
}

type Family = Awaited<ReturnType<typeof newFamily>>;

/** `which` counts back from the newest token. */
type Step =
  | { readonly kind: 'exchange' }
  | { readonly kind: 'refresh' | 'revoke' | 'storm'; readonly which: number }
  | { readonly kind: 'wait'; readonly seconds: number };

const which = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 3 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'exchange' }) },
  { weight: 6, arbitrary: which.map((back): Step => ({ kind: 'refresh', which: back })) },
  { weight: 2, arbitrary: which.map((back): Step => ({ kind: 'storm', which: back })) },
  { weight: 1, arbitrary: which.map((back): Step => ({ kind: 'revoke', which: back })) },
  { weight: 3, arbitrary: fc.constantFrom(1, 30, 60, 61, 3600).map((seconds): Step => ({ kind: 'wait', seconds })) },
);

async function run(family: Family, taken: Step): Promise<void> {
  if (taken.kind === 'wait') return family.clock.advance(taken.seconds * 1000);
  if (taken.kind === 'exchange') return void (await family.exchange());
  const token = family.given.at(-1 - taken.which) ?? 'perch_refresh_none';
  if (taken.kind === 'revoke') return family.revoke(token);
  const times = taken.kind === 'storm' ? 5 : 1;
  await Promise.all(Array.from({ length: times }, () => family.refresh(token)));
}

describe('any sequence of exchanges, refreshes, waits and revocations (A14)', () => {
  it('leaves one live key besides those in their overlap, and none after a revocation', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const family = await newFamily();
        await family.exchange();
        for (const taken of steps) {
          const before = await family.isRevoked();
          await run(family, taken);
          const revoked = await family.isRevoked();
          // Revoked is revoked.
          expect(revoked || !before).toBe(true);
          const live = await family.live();
          const overlapEndsAt = family.clock.now() + OVERLAP_MS;
          const beyond = live.filter(({ endsAt }) => endsAt.getTime() > overlapEndsAt);
          expect([revoked, beyond.length]).toEqual(revoked ? [true, 0] : [false, 1]);
          if (revoked) expect(live).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });
});
