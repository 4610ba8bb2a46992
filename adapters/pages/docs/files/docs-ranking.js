// Ranks the sections that answer a question. Whole words are compared, without their endings. Words that only begin
// like the last word, which may be unfinished, count little; words with a similar spelling are used only if nothing
// else is found.

/** Words that say nothing about what a reader looks for. */
const STOP_WORDS = new Set(
  `a about am an and are as at be by can do does for from get happens have how i if in into is it many me much my of on or our out
   should so that the their them there this to use using want was we what when where which who why will with you your`.split(
    /\s+/,
  ),
);

const ENDING = /(?:ing|ed|es|(?<!s)s|e)$/;
const SHORTEST_STEM = 3;

/** `limits`, `limited` and `limit` have one stem, in letters of any width; null for a stop word. */
export function stemOf(word) {
  const lower = word.normalize('NFKC').toLowerCase();
  if (STOP_WORDS.has(lower)) return null;
  const stem = lower.replace(ENDING, '');
  return stem.length >= SHORTEST_STEM ? stem : lower;
}

/** Names such as `max_credits` are words. Those in a text can also be found by their parts. */
const wordsOf = (text) => text.split(/(?:(?!_)[\n\r\p{Z}\p{P}])+/u);
const wordsAndParts = (text) =>
  wordsOf(text).flatMap((word) => (word.includes('_') ? [word, ...word.split('_')] : word));

const HYPHENS = /[-\u2010\u2011]/g;
const LETTERS_AND_HYPHENS = /[\p{L}\u2010\u2011-]+/gu;

/** Searches that are tried in turn until one finds something. */
const ATTEMPTS = [
  { combineWith: 'AND' },
  { combineWith: 'AND', fuzzy: 0.2 },
  { combineWith: 'OR' },
  { combineWith: 'OR', fuzzy: 0.2 },
];

/** The operations with this path, with or without a method: the words of a path alone say little. */
function operationsAt(rows, query) {
  const path = query.trim().toLowerCase();
  if (!/\bv1\/./.test(path)) return [];
  return rows.filter(({ of }) => of.toLowerCase().endsWith(path)).map((row) => ({ ...row, terms: [] }));
}

/**
 * Returns a function that searches the rows. Results have `id`, `title`, `of`, `text`, and the matching words as
 * `terms`.
 */
export function createSearch(MiniSearch, rows) {
  const index = new MiniSearch({
    fields: ['title', 'words', 'of', 'defines', 'text'],
    storeFields: ['title', 'of', 'text', 'weight'],
    tokenize: wordsAndParts,
    processTerm: stemOf,
    searchOptions: {
      tokenize: wordsOf,
      boost: { title: 6, words: 6, defines: 3, of: 1.5 },
      boostDocument: (_id, _term, { weight }) => weight,
      prefix: (_term, at, terms) => at === terms.length - 1,
      weights: { prefix: 0.15, fuzzy: 0.1 },
    },
  });
  index.addAll(rows);
  const found = (query) => {
    for (const options of ATTEMPTS) {
      const results = index.search(query, options);
      if (results.length > 0) return results;
    }
    return [];
  };
  const count = (words) => index.search(words, { combineWith: 'AND', prefix: false }).length;
  /** `e-mail` is one word, as more sections have `email` than `e` and `mail`; `rate-limit` is two. */
  const spelled = (compound) => {
    const word = compound.replace(HYPHENS, '');
    return word !== compound && count(word) > count(compound) ? word : compound;
  };
  return (typed) => {
    const query = typed.normalize('NFKC').replace(LETTERS_AND_HYPHENS, spelled);
    const operations = operationsAt(rows, query);
    return [...operations, ...found(query).filter(({ id }) => operations.every((operation) => operation.id !== id))];
  };
}
