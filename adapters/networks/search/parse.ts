import type peggy from 'peggy';
import { placeIn } from '../../../src/domain/caret.js';
import { badRequest, ServiceError } from '../../../src/domain/errors.js';
import { parseHandle } from '../../../src/domain/ids.js';
import { quoted } from '../../../src/lib/text.js';
import { parser } from './grammar.js';
import { isOperator, readOperator } from './operators.js';
import type { Query, Term } from './query.js';
import { queryTokens } from './tokens.js';

const MAX_LENGTH = 4096;
const MAX_TERMS = 100;
const MAX_PARENTHESES = 50;
/** The text index accepts no word of more than 2,046 bytes. */
const MAX_WORD = 500;

/** A quote between two Hebrew letters is part of an acronym. Its real sign, the gershayim, never begins a phrase. */
const GERSHAYIM = /(?<=\p{Script=Hebrew})["\u201C\u201D](?=\p{Script=Hebrew})/gu;

/**
 * Parses a search. Throws `bad_request` (param `q`) that names the character at fault, counted from 1, and what is
 * expected there.
 */
export function parseQuery(q: string): Query {
  if (q.length > MAX_LENGTH) throw badRequest(`q is longer than ${MAX_LENGTH} characters.`, 'q');
  if (q.includes('\0')) throw fault(q, q.indexOf('\0'), 'NUL characters are not allowed');
  for (const { 0: word, index } of q.matchAll(/[^\p{White_Space}]+/gu)) {
    if ([...word].length > MAX_WORD) throw fault(q, index, `this word is longer than ${MAX_WORD} characters`);
  }
  if (q.split('(').length - 1 > MAX_PARENTHESES) {
    throw badRequest(`q has more than ${MAX_PARENTHESES} opening parentheses.`, 'q');
  }
  const query = parse(q);
  if (countTerms(query) > MAX_TERMS) throw badRequest(`q has more than ${MAX_TERMS} terms.`, 'q');
  if (!wantsSomething(query, true)) {
    throw badRequest('q only has exclusions: add at least one term without a leading -.', 'q');
  }
  return query;
}

function parse(q: string): Query {
  try {
    const query: Query = parser.parse(q.replace(GERSHAYIM, '\u05F4'), {
      isKnown: isOperator,
      group: (kind: 'and' | 'or', head: Query, tail: Query[]): Query =>
        tail.length === 0 ? head : { kind, of: [head, ...tail] },
      operator: (name: string, value: string, offset: number): Term => {
        const term = readOperator(name, value);
        if ('fault' in term) throw fault(q, offset, term.fault);
        return term;
      },
      text: (kind: 'word' | 'phrase', text: string, offset: number): Term => {
        if (queryTokens(text).length > 0) return { kind, text };
        const what = `${quoted(text)} has no letter, digit or emoji to search for: leave it out`;
        throw fault(q, offset, what);
      },
      mention: (text: string): Term => ({ kind: 'mention', text: parseHandle(text) ?? text }),
      isBeyondAscii: (text: string): boolean => /[^\p{ASCII}\p{Cf}]/u.test(text),
      notHere: (word: 'AND' | 'NOT', offset: number): never => {
        const meant =
          word === 'AND' ? 'leave it out, since all terms must match' : 'write - right before what to exclude';
        throw fault(q, offset, `${word} is not an operator: ${meant} (write "${word}" in quotes for the word itself)`);
      },
    });
    return query;
  } catch (error) {
    if (error instanceof parser.SyntaxError) throw syntaxFault(q, error);
    throw error;
  }
}

function syntaxFault(q: string, error: peggy.parser.SyntaxError): ServiceError {
  const expected = new Set<string>();
  for (const each of error.expected ?? []) {
    if (each.type === 'other' && each.description !== 'a space') expected.add(each.description);
  }
  // Readers need not know the different ways in which a term may start.
  if (expected.delete('a word')) {
    expected.delete('a phrase');
    expected.add('a search term');
  }
  const found = error.found ? `found "${error.found}"` : 'reached the end of the query';
  return fault(
    q,
    error.location.start.offset,
    `expected ${[...expected].join(' or ') || 'something else'}, but ${found}`,
  );
}

const fault = (q: string, offset: number, what: string): ServiceError =>
  new ServiceError('bad_request', `Invalid search query at character ${[...q.slice(0, offset)].length + 1}: ${what}.`, {
    param: 'q',
    place: placeIn(q, offset),
  });

function countTerms(query: Query): number {
  if (query.kind === 'and' || query.kind === 'or') return query.of.reduce((sum, each) => sum + countTerms(each), 0);
  return query.kind === 'not' ? countTerms(query.of) : 1;
}

function wantsSomething(query: Query, wanted: boolean): boolean {
  if (query.kind === 'and' || query.kind === 'or') return query.of.some((each) => wantsSomething(each, wanted));
  return query.kind === 'not' ? wantsSomething(query.of, !wanted) : wanted;
}
