import sql, { join, raw, type Sql } from 'sql-template-tag';
import { badRequest } from '../../../../src/domain/errors.js';
import type { Counter } from '../../search/counters.js';
import { withoutAccents } from '../../search/fold.js';
import type { Query, Term } from '../../search/query.js';
import { adjacent, all, any, beginning, marked, near, not, type TextQuery } from './text-query.js';
import { type Mark, MOST_POWER, partsOfUrl } from './vector.js';

/**
 * A condition on a tweet `t` (or a profile `u`), in one of two forms: a text query, which the text index answers alone,
 * including under AND, OR and NOT; or any other condition.
 */
type Condition = { readonly text: TextQuery } | { readonly where: Sql };

/** The meaning of a language's terms in one table: the vector they search, and each term's condition. */
export interface Dialect {
  readonly vector: Sql;
  /** `isWanted`: false for a term that excludes what it finds. */
  readonly term: (term: Term, isWanted: boolean) => Condition;
  /** Whether the planner may see the search terms. If not, it makes the same plan for all queries. */
  readonly isKnown: boolean;
}

/** The query as one SQL condition. It can be null instead of false, but never under NOT. */
export const compile = (query: Query, dialect: Dialect): Sql => asWhere(compileCondition(query, dialect), dialect);

/** Whether the text index alone answers the query. The SQL text of the condition is then the same for all such queries. */
export function isOfTextAlone(query: Query, dialect: Dialect): boolean {
  const condition = compileCondition(query, dialect);
  return 'text' in condition && !isEmpty(condition);
}

function compileCondition(query: Query, dialect: Dialect, isWanted = true): Condition {
  if (query.kind === 'not') {
    const of = compileCondition(query.of, dialect, !isWanted);
    if (isEmpty(of)) return { where: sql`true` };
    return 'text' in of ? { text: not(of.text) } : { where: sql`NOT coalesce(${of.where}, false)` };
  }
  if (query.kind !== 'and' && query.kind !== 'or') return dialect.term(query, isWanted);

  const texts: TextQuery[] = [];
  const wheres: Sql[] = [];
  for (const each of query.of) {
    const part = compileCondition(each, dialect, isWanted);
    if ('text' in part) texts.push(part.text);
    else wheres.push(part.where);
  }
  const text = { text: query.kind === 'and' ? all(texts) : any(texts) };
  if (wheres.length === 0) return text;
  const parts = [...(texts.length === 0 ? [] : [asWhere(text, dialect)]), ...wheres];
  return { where: sql`(${join(parts, query.kind === 'and' ? ' AND ' : ' OR ')})` };
}

const isEmpty = (condition: Condition): boolean => 'text' in condition && condition.text === '';

function asWhere(condition: Condition, dialect: Dialect): Sql {
  if ('where' in condition) return condition.where;
  if (isEmpty(condition)) return sql`false`;
  const query = sql`${condition.text}::tsquery`;
  return sql`${dialect.vector} @@ ${dialect.isKnown ? query : sql`(SELECT ${query})`}`;
}

const marks = (kind: Mark, value: string): Condition => ({ text: marked(kind, value) });

/**
 * Ids by handle in lower case; an unknown handle is missing. Looked up first, so that the planner knows the account.
 */
export type Handles = ReadonlyMap<string, string>;

/** `phrase` says what a phrase is: `adjacent` words, or merely `scattered` ones. */
export const tweets = (handles: Handles, phrase: (text: string) => TextQuery = adjacent, isKnown = true): Dialect => ({
  vector: raw('t.search'),
  term: (term) => tweetTerm(term, handles, phrase),
  isKnown,
});

function tweetTerm(term: Term, handles: Handles, phrase: (text: string) => TextQuery): Condition {
  switch (term.kind) {
    case 'word':
    case 'phrase':
      return { text: phrase(term.text) };
    case 'hashtag':
      return marks('tag', term.text);
    case 'mention':
      return marks('at', term.text);
    case 'cashtag':
      return marks('cash', term.text);
    case 'lang':
      return marks('lang', term.text);
    case 'is':
      if (term.flag !== 'verified') return marks('is', term.flag);
      return { where: sql`(SELECT v.verified FROM corpus_users v WHERE v.id = t.author_id)` };
    case 'url':
      return { where: inUrls(term.text) };
    case 'atLeast':
      return atLeast(term.counter, term.least);
    default:
      return { where: columnTerm(term, handles) };
  }
}

/**
 * A term that is a condition on a plain column. `boundConditions` and `scopeConditions` in plan.ts know which terms an index can
 * start from.
 */
export function columnTerm(
  term: Extract<Term, { kind: 'from' | 'to' | 'conversation' | 'quoting' | 'afterId' | 'uptoId' | 'since' | 'until' }>,
  handles: Handles,
): Sql {
  switch (term.kind) {
    case 'from':
      return isUser(raw('t.author_id'), handles.get(term.handle.toLowerCase()));
    case 'to':
      return isUser(raw('t.in_reply_to_user_id'), handles.get(term.handle.toLowerCase()));
    case 'conversation':
      return sql`t.conversation_id = ${term.id}::bigint`;
    case 'quoting':
      return sql`t.quoted_id = ${term.id}::bigint`;
    case 'afterId':
      return sql`t.id > ${term.id}::bigint`;
    case 'uptoId':
      return sql`t.id <= ${term.id}::bigint`;
    case 'since':
      return sql`t.created_at >= ${term.time}::timestamptz`;
    case 'until':
      return sql`t.created_at < ${term.time}::timestamptz`;
  }
}

const isUser = (column: Sql, id: string | undefined): Sql =>
  id === undefined ? sql`false` : sql`${column} = ${id}::bigint`;

/** The index alone decides on powers of ten, which have marks; for other numbers it narrows, and the column decides. */
function atLeast(counter: Counter, least: number): Condition {
  const exact = sql`${raw(`t.${counter}`)} >= ${least}::bigint`;
  const power = Math.min(MOST_POWER, String(least).length - 1);
  if (power === 0) return { where: exact };
  const text = marked(counter, String(10 ** power));
  return least === 10 ** power ? { text } : { where: sql`(t.search @@ ${text}::tsquery AND ${exact})` };
}

/** This many parts of an address narrow the search as much as all 500 that a search has room for. */
const MOST_URL_PARTS = 10;

/** The index narrows by the parts of an address; the address itself decides. Only ASCII is folded there, on every server. */
function inUrls(text: string): Sql {
  const marks = partsOfUrl(text)
    .slice(0, MOST_URL_PARTS)
    .map((part) => sql`${marked('url', part)}::tsquery`);
  const exact = sql`EXISTS (SELECT FROM unnest(t.urls) AS a(url)
    WHERE position(lower(${text}::text COLLATE "C") IN lower(a.url COLLATE "C")) > 0)`;
  return marks.length === 0 ? exact : sql`(t.search @@ (${join(marks, ' && ')}) AND ${exact})`;
}

/**
 * Profiles are found by their words without accents, by the beginning of a handle or of a word of the name, and by
 * handle; a word that is excluded excludes no other words that begin with it. Terms that only apply to tweets are refused.
 */
export const PROFILES: Dialect = {
  vector: raw('u.search'),
  term: (term, isWanted) => profileTerm(term, isWanted ? beginning : nothing),
  isKnown: true,
};

/** The same, but finds words of a handle or name with one typing error instead of by their beginning. */
export const NEAR_PROFILES: Dialect = {
  ...PROFILES,
  term: (term, isWanted) => profileTerm(term, isWanted ? near : nothing),
};

const nothing = (): TextQuery => '';

function profileTerm(term: Term, orElse: (text: string) => TextQuery): Condition {
  switch (term.kind) {
    case 'word': {
      const text = withoutAccents(term.text);
      return { text: any([adjacent(text), orElse(text), marked('at', term.text)]) };
    }
    case 'phrase':
    case 'hashtag':
      return { text: adjacent(withoutAccents(term.text)) };
    case 'mention':
      return marks('at', term.text);
    default:
      if (term.kind === 'is' && term.flag === 'verified') return { where: sql`coalesce(u.verified, false)` };
      throw badRequest(
        'With product People, q supports only words, "phrases", @handles, OR, ( ), - and filter:verified.',
        'q',
      );
  }
}
