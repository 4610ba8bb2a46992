import { expect, test } from 'vitest';
import { lowBalanceMail } from '../../../src/account/spending-watch.js';
import { toThousandths } from '../../../src/domain/credits.js';

const mailAt = (credits: number) =>
  lowBalanceMail(
    {
      accountId: 'a',
      topupSeq: 1,
      notified: null,
      email: 'a@example.org',
      balance: toThousandths(credits),
      full: toThousandths(20),
    },
    5,
    'https://perch.example/dashboard/credits',
  );

test.each([
  [2.5, '2.5 credits', 'That buys 2 tweets or profiles, or 25 profiles from a follower list.'],
  [1, '1 credit', 'That buys 1 tweet or profile, or 10 profiles from a follower list.'],
  [0.1, '0.1 credits', 'That buys 1 profile from a follower list.'],
  [0.05, '0.05 credits', 'That is less than one tweet or profile costs.'],
])('says in a mail about %d credits how many are left and what they buy', (credits, left, buys) => {
  const { subject, text } = mailAt(credits);
  expect(subject).toBe(`Perch: ${left} left`);
  expect(text).toContain(`is down to ${left}: 5% or less of the 20 it had`);
  expect(text).toContain(`\n${buys}\n`);
});
