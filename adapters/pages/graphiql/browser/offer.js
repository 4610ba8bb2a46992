// Prices an operation before it runs, and offers a budget if one would let it run.

import { element, inCredits } from './dom.js';
import { setBudget, withExtensions } from './request.js';

const errorsOf = (answer) => answer.errors ?? [];

/** Whether the call or one of its fields was refused because it could exceed the budget. */
export const isOverBudget = ({ answer }) =>
  errorsOf(answer).some(({ extensions }) => extensions?.param === 'maxCredits');

/** Sends a dry run, which reads nothing and charges nothing. `ask(body)` sends one request. */
export async function dryRun(ask, body) {
  const result = await ask(withExtensions(body, { dryRun: true }));
  return { ...result, estimate: result.answer.extensions?.estimate };
}

/** The budget in credits that lets this operation run; null if it would be refused with any budget. */
export async function budgetFor(ask, body) {
  const { estimate } = await dryRun(ask, withExtensions(body, { maxCredits: undefined }));
  if (!estimate) return null;
  const maxCredits = estimate.max_credits;
  if (!estimate.refused) return maxCredits;
  const again = await dryRun(ask, withExtensions(body, { maxCredits }));
  return again.estimate && !again.estimate.refused ? maxCredits : null;
}

/** A button for the notice that fills in the budget; the reader then runs the operation again. */
export function offerIn(credits, done) {
  const button = element('button', { type: 'button', className: 'offer' }, `Set the budget to ${inCredits(credits)}`);
  button.addEventListener('click', () => {
    setBudget(credits);
    done();
  });
  return button;
}
