import sql, { join, raw, type Sql } from 'sql-template-tag';
import { badRequest } from '../../../../src/core/errors.js';
import type { Counter, Query, Term } from '../../search/query.js';

/**
 * A condition on a tweet `t` (or a profile `u`), in one of two forms: a text query, which the text index answers alone,
 * including under AND, OR and NOT; or any other condition.
 */
type Condition = { readonly text: Sql } | { readonly where: Sql };

/** The meaning of a language's terms in one table: the vector they search, and each term's condition. */
export interface Dialect {
  readonly vector: Sql;
  readonly term: (term: Term) => Condition;
}

/** The query as one SQL condition. It may be null for false, but not under NOT. */
export const compile = (query: Query, dialect: Dialect): Sql => asWhere(conditionOf(query, dialect), dialect);

function conditionOf(query: Query, dialect: Dialect): Condition {
  if (query.kind === 'not') {
    const of = conditionOf(query.of, dialect);
    // In parentheses: two of these in a row would be a different operator.
    return 'text' in of ? { text: sql`(!!${of.text})` } : { where: sql`NOT coalesce(${of.where}, false)` };
  }
  if (query.kind !== 'and' && query.kind !== 'or') return dialect.term(query);

  const texts: Sql[] = [];
  const wheres: Sql[] = [];
  for (const each of query.of) {
    const part = conditionOf(each, dialect);
    if ('text' in part) texts.push(part.text);
    else wheres.push(part.where);
  }
  const text = texts.length === 0 ? [] : [sql`(${join(texts, query.kind === 'and' ? ' && ' : ' || ')})`];
  if (wheres.length === 0) return { text: sql`${join(text)}` };
  const all = [...text.map((each) => asWhere({ text: each }, dialect)), ...wheres];
  return { where: sql`(${join(all, query.kind === 'and' ? ' AND ' : ' OR ')})` };
}

const asWhere = (condition: Condition, dialect: Dialect): Sql =>
  'where' in condition ? condition.where : sql`${dialect.vector} @@ (${condition.text})`;

/** Words in this order, adjacent; text without any word adds no condition. */
const words = (text: string): Sql => sql`phraseto_tsquery('simple', ${text}::text)`;

/** One of the terms that the migration defines; the database converts it to lower case, as it did when storing them. */
const mark = (kind: string, text: string): Sql =>
  sql`lower(${`':${kind}=${text.replace(/['\\]/g, '$&$&')}'`}::text)::tsquery`;

/**
 * Ids by handle in lower case; an unknown handle is missing. Looked up first, so that the planner knows the account.
 */
export type Handles = ReadonlyMap<string, string>;

export const tweets = (handles: Handles): Dialect => ({
  vector: raw('t.search'),
  term: (term) => tweetTerm(term, handles),
});

function tweetTerm(term: Term, handles: Handles): Condition {
  switch (term.kind) {
    case 'word':
    case 'phrase':
      return { text: words(term.text) };
    case 'hashtag':
      return { text: mark('tag', cut(term.text)) };
    case 'mention':
      return { text: mark('at', cut(term.text)) };
    case 'cashtag':
      return { text: mark('cash', term.text) };
    case 'lang':
      return { text: mark('lang', term.text) };
    case 'is':
      if (term.flag !== 'verified') return { text: mark('is', term.flag) };
      return { where: sql`t.author_id IN (SELECT v.id FROM corpus_users v WHERE v.verified)` };
    case 'url':
      return { where: inUrls(term.text) };
    case 'atLeast':
      return { where: atLeast(term.counter, term.least) };
    default:
      return { where: columnTerm(term, handles) };
  }
}

/**
 * A term that is a condition on a plain column. `boundsOf` and `scopesOf` in plan.ts know which terms an index can
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

/** Truncated as the migration truncates a tag or handle. */
const cut = (text: string): string => [...text].slice(0, 100).join('');

const COUNTERS: Record<Counter, Sql> = {
  likes: raw('t.likes'),
  retweets: raw('t.retweets'),
  replies: raw('t.replies'),
};

/** The index knows powers of ten: it narrows the search, the column decides. */
function atLeast(counter: Counter, least: number): Sql {
  const exact = sql`${COUNTERS[counter]} >= ${least}::bigint`;
  const power = Math.min(7, String(least).length - 1);
  return power === 0 ? exact : sql`(t.search @@ ${mark(counter, String(10 ** power))} AND ${exact})`;
}

/** This many parts of an address narrow the search as much as all 500 that a search has room for. */
const MOST_URL_PARTS = 10;

/** The index knows the parts of an address; the address itself decides. */
function inUrls(text: string): Sql {
  const parts = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const telling = parts.filter((part) => part !== 'http' && part !== 'https').slice(0, MOST_URL_PARTS);
  const marks = telling.map((part) => mark('url', part));
  const exact = sql`EXISTS (SELECT FROM unnest(t.urls) AS a(url) WHERE position(lower(${text}::text) IN lower(a.url)) > 0)`;
  return marks.length === 0 ? exact : sql`(t.search @@ (${join(marks, ' && ')}) AND ${exact})`;
}

/** Profiles are found by their words and handles; terms that only apply to tweets are refused. */
export const PROFILES: Dialect = { vector: raw('u.search'), term: profileTerm };

function profileTerm(term: Term): Condition {
  switch (term.kind) {
    case 'word':
      return { text: sql`(${words(term.text)} || ${mark('at', cut(term.text))})` };
    case 'phrase':
    case 'hashtag':
      return { text: words(term.text) };
    case 'mention':
      return { text: mark('at', cut(term.text)) };
    default:
      if (term.kind === 'is' && term.flag === 'verified') return { where: sql`coalesce(u.verified, false)` };
      throw badRequest(
        'With product People, q supports only words, "phrases", @handles, OR, ( ), - and filter:verified',
        'q',
      );
  }
}
