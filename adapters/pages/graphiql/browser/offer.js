// Prices an operation before it runs, and offers a budget where one would let it run.

import { element, inCredits } from './dom.js';
import { setBudget, withExtensions } from './request.js';

const errorsOf = (answer) => answer.errors ?? [];

/** Whether the call was refused, or a field of it, because it could cost more than it may. */
export const isOverBudget = ({ answer }) =>
  errorsOf(answer).some(({ extensions }) => extensions?.param === 'max_credits');

/** `ask(body)`: one request. A dry run: nothing is read, nothing is charged. */
export async function dryRun(ask, body) {
  const result = await ask(withExtensions(body, { dryRun: true }));
  return { ...result, estimate: result.answer.extensions?.estimate };
}

/** The budget in credits that this operation can run under; null if it would be refused with any. */
export async function budgetFor(ask, body) {
  const { estimate } = await dryRun(ask, withExtensions(body, { maxCredits: undefined }));
  if (!estimate) return null;
  const maxCredits = estimate.max_credits;
  if (!estimate.refused) return maxCredits;
  const again = await dryRun(ask, withExtensions(body, { maxCredits }));
  return again.estimate && !again.estimate.refused ? maxCredits : null;
}

/** A button for the notice: it fills the field, and leaves the run to the reader. */
export function offerIn(credits, done) {
  const button = element('button', { type: 'button', className: 'offer' }, `Set the budget to ${inCredits(credits)}`);
  button.addEventListener('click', () => {
    setBudget(credits);
    done();
  });
  return button;
}
