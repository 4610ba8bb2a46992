import { type Thousandths, toCredits } from '../domain/credits.js';
import { counted, creditsOf, figure } from '../domain/figures.js';
import { priceOf, type Unit } from '../domain/prices.js';
import type { NoticePercent, WalletLevel } from '../ports/deliveries.js';
import type { Message } from '../ports/mail.js';

/** `level.balance` is what is left; `topUpAt` the address where credits are bought. */
export function lowBalanceMail(level: WalletLevel, percent: NoticePercent, topUpAt: string): Message {
  const { email, balance, full } = level;
  return {
    to: email,
    subject: balance === 0 ? 'You have run out of Perch credits' : `Perch: ${creditsOf(balance)} left`,
    text: [
      balance === 0
        ? 'Your Perch wallet is empty: paid requests are refused until you top it up.'
        : `Your Perch wallet is down to ${creditsOf(balance)}: ${percent}% or less of the ${figure(toCredits(full))} it had after the last top-up.`,
      ...(balance === 0 ? [] : ['', buys(balance)]),
      '',
      'Top it up here:',
      topUpAt,
      '',
      'You get this message once at 50%, 20% and 5% after each top-up.',
      '',
    ].join('\n'),
  };
}

function buys(balance: Thousandths): string {
  const most = (unit: Unit): number => Math.floor(balance / priceOf(unit, 'miss'));
  const [tweets, followers] = [most('tweet'), most('edge_profile')];
  if (followers === 0) return 'That is less than one tweet or profile costs.';
  const fromList = `${counted(followers, 'profile')} from a follower list`;
  if (tweets === 0) return `That buys ${fromList}.`;
  return `That buys ${counted(tweets, 'tweet or profile', 'tweets or profiles')}, or ${fromList}.`;
}
