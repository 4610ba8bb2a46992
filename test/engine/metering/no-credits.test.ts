import { expect, test } from 'vitest';
import { toThousandths } from '../../../src/domain/credits.js';
import { Meter } from '../../../src/metering/meter.js';
import { SpendingLimit } from '../../../src/metering/spending-limit.js';
import { Wallet } from '../../../src/metering/wallet.js';

const INFINITE = Number.POSITIVE_INFINITY;
const meterOf = (wallet: number, budget = INFINITE): Meter =>
  new Meter(new SpendingLimit(new Wallet(toThousandths(wallet)), INFINITE, budget), 0, new Map());

test('states the price of one item and what is left, in credits', () => {
  expect(meterOf(0.05).noCredits('edge_profile', 'miss').message).toBe(
    'This read costs 0.1 credits per follower or following profile; the wallet holds 0.05 credits. Add credits: GET /v1/billing/packs lists the packs.',
  );
  expect(meterOf(1).noCredits('tweet', 'bypass').message).toMatch(
    /^This read costs 2 credits per tweet; the wallet holds 1 credit\./,
  );
  expect(meterOf(9, toThousandths(0.25)).noCredits('profile', 'miss').message).toMatch(
    /^This read costs 1 credit per profile; 0\.25 credits left in this call's budget\./,
  );
});
