// Shows `extensions.credits` of the last answer, and `extensions.estimate` of a dry run.

import { byId, element, figure, inCredits } from './dom.js';
import { codeOf, errorsOf, inPageWords, reasonOf } from './failure-text.js';

const cell = (text) => element('td', {}, text);

const line = ({ path, items, unit, cache, charged }) =>
  element(
    'tr',
    {},
    element('th', { scope: 'row' }, element('code', {}, path)),
    cell(figure(items)),
    cell(figure(unit)),
    element('td', {}, element('span', { className: `cache ${cache}` }, cache)),
    cell(figure(charged)),
  );

export function showBalance(remaining) {
  byId('balance').textContent = figure(remaining);
}

/** "mixed" if a run was charged for both cached and uncached items. */
const labelOf = ({ cache, breakdown } = {}) =>
  new Set(breakdown?.map((line) => line.cache)).size > 1 ? 'mixed' : cache;

/**
 * Whether a result says what was charged. Not if its answer was lost or is a proxy's page, or if the service itself does
 * not know.
 */
export function saysCharge({ answer }) {
  if (answer.extensions?.credits !== undefined) return true;
  const failures = errorsOf(answer);
  return failures.every((error) => codeOf(error) !== null && reasonOf(error) !== 'charge_unknown');
}

/** Nothing is known to be free without the service's word for it. */
export function showUnknownCost() {
  const button = byId('last-cost');
  button.disabled = false;
  button.replaceChildren('unknown');
  byId('cost-sum').textContent = figure(null);
  byId('cost-lines').replaceChildren(
    element('tr', {}, element('td', { colSpan: 5 }, 'It may have been charged. The next response shows your balance.')),
  );
}

/** `credits`: the figures in the answer; undefined if the call was refused before it was priced, which is free. */
export function showCost(credits) {
  const { charged = 0, remaining, breakdown = [] } = credits ?? {};
  const cache = labelOf(credits);
  const button = byId('last-cost');
  button.disabled = false;
  button.replaceChildren(inCredits(charged));
  if (cache && charged > 0) button.append(' ', element('span', { className: `cache ${cache}` }, cache));
  byId('cost-sum').textContent = figure(charged);
  byId('cost-lines').replaceChildren(
    ...(breakdown.length > 0
      ? breakdown.map(line)
      : [element('tr', {}, element('td', { colSpan: 5 }, 'Nothing was charged.'))]),
  );
  if (remaining !== undefined) showBalance(remaining);
}

/** Adds the figures of a subscription's latest result to those before. */
export function sumOf(before, { charged, breakdown = [], ...latest }) {
  const lines = new Map(
    (before?.breakdown ?? []).map((line) => [JSON.stringify([line.path, line.unit, line.cache]), line]),
  );
  for (const line of breakdown) {
    const key = JSON.stringify([line.path, line.unit, line.cache]);
    const { items = 0, charged: sum = 0 } = lines.get(key) ?? {};
    lines.set(key, { ...line, items: items + line.items, charged: sum + line.charged });
  }
  return { ...latest, charged: (before?.charged ?? 0) + charged, breakdown: [...lines.values()] };
}

/** Says what a budget or balance below the price would do; empty if both are enough. */
function shortage(price, { budget = Infinity, balance }) {
  if (price > 0 && (balance === 0 || budget === 0)) {
    return ` It would be refused: the ${balance === 0 ? 'balance' : 'budget'} is 0.`;
  }
  const least = Math.min(budget, balance ?? Infinity);
  if (price <= least) return '';
  return ` The ${least === budget ? 'budget' : 'balance'} is ${inCredits(least)}: lists would be cut to fit, and a single item that costs more would be refused.`;
}

/**
 * The notice for an estimate. `limits`: `{ budget, balance }` in credits, as far as they are known. A subscription is
 * priced by the result, and has any number of them.
 */
export function estimateIn({ max_credits, max_items, refused }, { isStream, ...limits }) {
  const short = refused ? '' : shortage(max_credits, limits);
  const tone = short === '' ? 'good' : 'warn';
  return {
    tone: refused ? 'bad' : tone,
    parts: [
      element('strong', {}, `At most ${inCredits(max_credits)}`),
      ` for ${isStream ? 'each result of ' : ''}at most ${figure(max_items)} ${max_items === 1 ? 'item' : 'items'}. Nothing was read, nothing was charged.`,
      refused ? ` It would be refused: ${inPageWords(refused.message)}` : short,
    ],
  };
}

const CUT_BY = {
  max_credits: 'Your budget',
  key_cap: 'The spend cap of this key',
  no_credits: 'Your balance',
};

/** Parts of a notice about the lists that were cut because the money ran out, from the answer; empty if none were. */
export function cutsIn({ truncated = [] } = {}) {
  return truncated.flatMap(({ path, reason, items, requested }, at) => [
    at === 0 ? '' : ' ',
    `${CUT_BY[reason] ?? 'The money'} cut `,
    element('code', {}, path),
    ` to ${figure(items)} of the ${figure(requested)} requested.`,
  ]);
}
