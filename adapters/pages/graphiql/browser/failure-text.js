// Failures as text: what happened, and what the reader can do.

import { element } from './dom.js';

export const codeOf = (error) => error?.extensions?.code ?? error?.code ?? null;

export const reasonOf = (error) => error?.extensions?.reason ?? error?.reason ?? null;

/** Gives REST-shaped bodies (of refusals before GraphQL began) and GraphQL's own errors the same shape. */
export const errorsOf = (answer) => {
  if (Array.isArray(answer.errors)) return answer.errors;
  return answer.error ? [answer.error] : [];
};

/** A caret under the place. The same text before it, made invisible, puts it right for characters of any width. */
function withCaret({ text, position }) {
  const before = [...text].slice(0, position - 1).join('');
  return element('pre', {}, `${text}\n`, element('span', { className: 'unseen', ariaHidden: 'true' }, before), '^');
}

/** Replaces sentences about `maxCredits`, a parameter for programs, because the page calls it the budget. */
export function inPageWords(message) {
  const kept = message.split(/(?<=\.) /).filter((each) => !each.includes('maxCredits'));
  return kept.join(' ') === message ? message : [...kept, 'Request fewer items, or raise the budget.'].join(' ');
}

const sentence = (text) => (/[.!?…]$/.test(text) ? text : `${text}.`);

/**
 * `{ tone, parts }` for the notice, or null when nothing failed. `problems` is the table of the server's error codes.
 */
export function failureIn({ answer, retryAfter }, problems) {
  const errors = errorsOf(answer);
  const [first] = errors;
  if (first === undefined) return null;
  const code = codeOf(first);
  const problem = Object.hasOwn(problems, code ?? '') ? problems[code] : null;
  const partly = Object.values(answer.data ?? {}).some((value) => value !== null);
  const parts = [
    element(
      'strong',
      {},
      partly ? 'Part of it failed and was not charged. ' : `${problem?.title ?? 'The request failed'}. `,
    ),
  ];
  parts.push(`${sentence(inPageWords(first.message))} `);
  const place = first.extensions?.place ?? first.place;
  if (place) parts.push(withCaret(place));
  if (errors.length > 1) parts.push(`${errors.length - 1} more in the response. `);
  if (retryAfter !== null) parts.push(`Try again in ${retryAfter} s. `);
  if (problem) {
    // The message about an exceeded budget already says what to do, and the page offers it.
    if (first.extensions?.param !== 'maxCredits') parts.push(`${problem.todo} `);
    parts.push(element('a', { href: `/problems/${code}`, target: '_blank', rel: 'noopener' }, code));
  }
  return { tone: partly ? 'warn' : 'bad', parts };
}
