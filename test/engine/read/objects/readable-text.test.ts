import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readable, withReadableText } from '../../../../src/lib/text.js';
import { createEngine } from '../../../kit/engine.js';
import { createScriptedNetwork } from '../../../kit/networks/scripted-network.js';

const SITE = { path: 'object', fresh: false };
const HALVES = 'half \ud83d a pair, \udc00 the other, and \0 nothing \u{1f30a}';
const READABLE = 'half \ufffd a pair, \ufffd the other, and \ufffd nothing \u{1f30a}';

describe('texts of a network (T13)', () => {
  it('replaces unpaired surrogates and U+0000 in objects and pages, read or cached', async () => {
    const net = createScriptedNetwork();
    net.user({ id: '1', name: HALVES, bio: HALVES });
    const author = net.user({ id: '2', handle: 'second', name: HALVES });
    net.tweet({
      id: '11',
      authorId: '2',
      author,
      text: HALVES,
      hashtags: ['ok', HALVES],
      media: [{ type: 'photo', url: HALVES }],
    });
    net.list('timeline', '2', ['11']);
    net.list('followers', '2', ['1']);
    const engine = createEngine(net.network);
    for (let time = 0; time < 2; time += 1) {
      const { reads } = engine.open();
      expect(await reads.user({ id: '1' }, SITE)).toMatchObject({ name: READABLE, bio: READABLE });
      expect((await reads.users(['second'], SITE)).nodes).toMatchObject([{ name: READABLE }]);
      expect(await reads.tweet('11', SITE)).toMatchObject({ text: READABLE, hashtags: ['ok', READABLE] });
      const { page } = await engine.page({ kind: 'timeline', subject: '2', count: 1 });
      expect(page.nodes).toMatchObject([{ text: READABLE, media: [{ url: READABLE }], author: { name: READABLE } }]);
      expect((await engine.page({ kind: 'followers', subject: '2', count: 1 })).page.nodes).toMatchObject([
        { bio: READABLE },
      ]);
    }
  });

  it('keeps every other text and every position', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        const read = readable(text);
        expect([read.isWellFormed(), read.includes('\0'), read.length]).toEqual([true, false, text.length]);
        if (text.isWellFormed() && !text.includes('\0')) expect(read).toBe(text);
        for (const [at, unit] of [...Array(text.length).keys()].map((at) => [at, read[at]] as const)) {
          if (unit !== '\ufffd') expect(unit).toBe(text[at]);
        }
      }),
    );
  });

  it('copies nothing that is readable as it is', () => {
    const value = { items: [{ text: 'plain', likes: 3, none: null, author: { name: 'Ada' } }], fail: new Error('\0') };
    expect(withReadableText(value)).toBe(value);
    const mixed = { items: [value, { text: '\0' }] };
    const read = withReadableText(mixed);
    expect(read).toEqual({ items: [value, { text: '\ufffd' }] });
    expect(read.items[0]).toBe(value);
    expect(mixed.items[1]).toEqual({ text: '\0' });
  });
});
