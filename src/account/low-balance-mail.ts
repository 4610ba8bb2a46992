import { toCredits } from '../core/credits.js';
import { priceOf } from '../core/prices.js';
import type { Message } from '../ports/mail.js';
import type { NoticePercent, WalletLevel } from '../ports/notices.js';

const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

/** `level.balance` is what is left; `topUpAt` the address where credits are bought. */
export function lowBalanceMail(level: WalletLevel, percent: NoticePercent, topUpAt: string): Message {
  const { email, balance, full } = level;
  const left = NUMBER.format(toCredits(balance));
  const buys = (unit: Parameters<typeof priceOf>[0]) => NUMBER.format(Math.floor(balance / priceOf(unit, 'miss')));
  return {
    to: email,
    subject: balance === 0 ? 'You have run out of Perch credits' : `Perch: ${left} credits left`,
    text: [
      balance === 0
        ? 'Your Perch wallet is empty: paid requests are refused until you top it up.'
        : `Your Perch wallet is down to ${left} credits: ${percent}% or less of the ${NUMBER.format(toCredits(full))} it had after the last top-up.`,
      ...(balance === 0
        ? []
        : [
            '',
            `They buy ${buys('tweet')} tweets or profiles, or ${buys('edge_profile')} profiles from a follower list.`,
          ]),
      '',
      'Top it up here:',
      topUpAt,
      '',
      'You get this message once at 50%, 20% and 5% after each top-up.',
      '',
    ].join('\n'),
  };
}
