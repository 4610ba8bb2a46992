// Shows `extensions.credits` of the last answer, and `extensions.estimate` of a dry run (G4, M26).

import { byId, element, figure, inCredits } from './dom.js';

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

/** `credits`: the answer's own figures; undefined when it was refused before anything was priced, which is free. */
export function showCost(credits) {
  const { charged = 0, remaining, cache, breakdown = [] } = credits ?? {};
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

/** The estimate as text for the notice. */
export function estimateIn({ max_credits, max_items, refused }) {
  return {
    tone: refused ? 'bad' : 'good',
    parts: [
      element('strong', {}, `At most ${inCredits(max_credits)}`),
      ` for at most ${figure(max_items)} ${max_items === 1 ? 'item' : 'items'}. Nothing was read, nothing was charged.`,
      ...(refused ? [' It would be refused: ', refused.message] : []),
    ],
  };
}
