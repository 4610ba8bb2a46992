/**
 * The lines of NDJSON. Only `\n` ends one: a text may contain U+2028 and U+2029, at which Node's own reader also ends
 * lines.
 */
export async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
  if (rest !== '') yield rest;
}
