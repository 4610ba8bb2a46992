// Typesets code: breaks long commands into lines, puts prices on separate lines, and colours words by their kind. The
// service uses it to write pages, and pages use it to write the parts that change.

/** Columns that fit into a box beside a text without scrolling. */
const WIDTH = 76;

/** Words of a shell's line, and the blanks between them. Quoted text and escaped characters belong to one word. */
const TOKENS = /(?:[^\s'"\\]|'[^']*'|"(?:[^"\\]|\\.)*"|\\.)+|\s+|./g;

/** Each word with the blanks before it. */
function wordsOf(line) {
  const words = [];
  let blanks = '';
  for (const token of line.match(TOKENS) ?? []) {
    if (/^\s/.test(token)) blanks = token;
    else words.push(blanks + token);
    if (!/^\s/.test(token)) blanks = '';
  }
  return words;
}

/** Whether every opened quote is closed. */
const isClosed = (text) => text.replaceAll(/'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]/g, '').search(/['"\\]/) === -1;

/** Splits off the comment at the end of a line, unless it is within quotes. */
function splitComment(line) {
  const words = wordsOf(line);
  const at = words.findIndex((word) => /^\s+#$/.test(word));
  return at < 1 ? [line, ''] : [words.slice(0, at).join(''), words.slice(at).join('').trim()];
}

const OPENS = /(?:^|\s)(?:-[\w-]+|\|\|?|&&|>)$/;

/**
 * Groups of words that stay on one line: an option with its value, or an operator with the name of the next command.
 */
function unitsOf(line) {
  const units = [];
  for (const word of wordsOf(line)) {
    const last = units.at(-1);
    if (last !== undefined && OPENS.test(last) && !/^\s+-/.test(word)) units[units.length - 1] += word;
    else units.push(word);
  }
  return units;
}

/** Breaks a line into lines of at most WIDTH, as far as its words allow; all but the last end with a backslash. */
function broken(line, indent) {
  if (line.length <= WIDTH || !isClosed(line)) return [line];
  const lines = [];
  for (const unit of unitsOf(line)) {
    const last = lines.at(-1);
    const fits = last !== undefined && last.length + unit.length <= WIDTH - 2 && !/^\s+[|&>]/.test(unit);
    if (fits) lines[lines.length - 1] += unit;
    else lines.push(last === undefined ? unit : `${indent}${unit.trim()}`);
  }
  return lines.map((each, at) => (at < lines.length - 1 ? `${each} \\` : each));
}

/** Breaks the long lines of a command. A command with a quoted text over several lines stays unchanged. */
function brokenLines(lines) {
  if (lines.length > 1 && !lines.every((line) => isClosed(line.replace(/\\$/, '')))) return lines;
  return lines.flatMap((line, at) => {
    const indent = `${/^\s*/.exec(line)[0]}${at === 0 ? '  ' : ''}`;
    if (at === lines.length - 1) return broken(line, indent);
    const parts = broken(line.replace(/\\$/, '').trimEnd(), indent);
    return [...parts.slice(0, -1), `${parts.at(-1)} \\`];
  });
}

const onOneLine = (lines) => lines.map((line) => line.replace(/\\$/, '')).join('\n');

/** Commands as pages show them. `aside` marks a price, which is shown but not copied. */
export function shellLines(text) {
  const shown = [];
  let command = [];
  for (const line of text.split('\n')) {
    // Within quotes, `#` does not begin a comment.
    const [own, comment] = isClosed(onOneLine(command)) ? splitComment(line) : [line, ''];
    const isOpen = /\\$/.test(own) || !isClosed(onOneLine([...command, own]));
    command.push(isOpen ? line : own);
    if (isOpen) continue;
    const price = /^# ([\d.]+ credits?)$/.exec(comment)?.[1];
    const lines = brokenLines(command);
    if (price !== undefined) shown.push({ aside: price });
    else if (comment !== '') lines[lines.length - 1] += ` ${comment}`;
    shown.push(...lines.map((each) => ({ text: each })));
    command = [];
  }
  return [...shown, ...command.map((each) => ({ text: each }))];
}

// An unclosed string ends with its line, so that no character is looked at twice.
const STRINGS = String.raw`"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?`;
const HASH = String.raw`(?<=^|\s)#.*`;
const SLASHES = String.raw`(?<=^|\s)//.*|^[ \t]*/?\*.*`;
const TICKS = '`(?:[^`\\\\]|\\\\.)*`?';

const JAVASCRIPT =
  'async await const else export for from function if import let new null of return throw true false type typeof undefined while';

/** For each language: comments, strings, keywords, and names of members. */
const LANGUAGES = {
  sh: [HASH, STRINGS, 'curl do done else export fi for if in then while'],
  json: [SLASHES, STRINGS, 'true false null', String.raw`"(?:[^"\\\n]|\\.)*"(?=\s*:)`],
  graphql: [HASH, STRINGS, 'extend fragment input mutation on query type true false null'],
  ts: [SLASHES, `${STRINGS}|${TICKS}`, `${JAVASCRIPT} as interface readonly`],
  js: [SLASHES, `${STRINGS}|${TICKS}`, JAVASCRIPT],
  python: [HASH, STRINGS, 'as def else for from if import in None return True False try except while with'],
  go: [SLASHES, `${STRINGS}|${TICKS}`, 'defer func if import nil package return var'],
  php: [SLASHES, STRINGS, 'echo false function getenv if new null return true'],
  ruby: [HASH, STRINGS, 'def do end if nil puts require true false'],
};

/** Matches nothing. */
const NOTHING = '(?!)';

const PATTERNS = Object.fromEntries(
  Object.entries(LANGUAGES).map(([language, [comments, strings, words, names = NOTHING]]) => {
    const word = String.raw`(?<![\w$.])(?:${words.replaceAll(' ', '|')})(?![\w-])`;
    const number = String.raw`(?<![\w.])\d+(?:\.\d+)?(?![\w.-])`;
    return [language, new RegExp(`(${comments})|(${names})|(${strings})|(${word})|(${number})`, 'gm')];
  }),
);

/** Classes of the style sheet, in the order of the groups. */
const KINDS = ['comment', 'name', 'string', 'word', 'number'];

/** Splits a text into parts, each with its kind; ordinary text has none. */
export function colouredParts(text, language) {
  const pattern = PATTERNS[language];
  if (pattern === undefined) return [{ text }];
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) parts.push({ text: text.slice(end, match.index) });
    parts.push({ text: match[0], kind: KINDS[match.slice(1).findIndex((group) => group !== undefined)] });
    end = match.index + match[0].length;
  }
  return end < text.length ? [...parts, { text: text.slice(end) }] : parts;
}
