import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textOfHtml } from '../../../adapters/networks/mastodon/html-text.js';

const escaped = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

describe('the text of a post', () => {
  test.each<[html: string, text: string]>([
    ['', ''],
    ['<p>One</p><p>Two</p>', 'One\n\nTwo'],
    ['<p>One<br>Two<br/>Three<br />Four</p>', 'One\nTwo\nThree\nFour'],
    ['<p>One<br><br>Two</p>', 'One\n\nTwo'],
    ['<p>&quot;A &amp; B&quot; &lt;3 &#39;x&#39; &#x1F600; &apos;</p>', `"A & B" <3 'x' 😀 '`],
    ['<p>&amp;lt; &unknown; &#0; &#xD800; &#9999999; &</p>', '&lt; &unknown; \ufffd \ufffd \ufffd &'],
    ['<p>a\n  b\tc</p>', 'a b c'],
    ['<p>a &nbsp; b</p>', 'a \u00a0 b'],
    ['<pre><code>if (a) {\n  b\n}</code></pre><p>after</p>', 'if (a) {\n  b\n}\n\nafter'],
    ['<ul><li>one</li><li>two</li></ul><p>three</p>', 'one\ntwo\n\nthree'],
    ['<blockquote><p>said</p></blockquote><p>answered</p>', 'said\n\nanswered'],
    ['<p class="quote-inline">RE: <a href="https://a.example/1">https://a.example/1</a></p><p>Mine</p>', 'Mine'],
    ['<p>a<span class="x quote-inline">b<span>c</span>d</span>e</p>', 'ae'],
    ['<p>a<!-- not > this -->b</p>', 'ab'],
    ['a<!-- never closed', 'a'],
    ['<script>alert("<p>no</p>")</script><style>p{}</style>yes', 'yes'],
    ['1 < 2 and 3 > 2 <3', '1 < 2 and 3 > 2 <3'],
    // A tag that never ends is not a tag, as in a browser.
    ['<p>cut <a href="https://a.exa', 'cut'],
    [`<P CLASS='a>b' data-x="</p>">One</P>`, 'One'],
    ['  <p>  One  </p>  ', 'One'],
    ['plain', 'plain'],
  ])('%j is %j', (html, text) => {
    expect(textOfHtml(html).text).toBe(text);
  });

  test('spells a link out in full, whatever part of it the server hides', () => {
    const html =
      '<p>See <a href="https://www.example.org/a/long/way?b=1&amp;c=2"><span class="invisible">https://www.</span>' +
      '<span class="ellipsis">example.org/a/long</span><span class="invisible">/way?b=1&amp;c=2</span></a></p>';
    const address = 'https://www.example.org/a/long/way?b=1&c=2';
    expect(textOfHtml(html)).toEqual({ text: `See ${address}`, links: [address] });
  });

  test('has the links to the web, without mentions and hashtags, each once', () => {
    const html =
      '<a href="https://a.example/@ada" class="u-url mention">@ada</a> <a class="mention hashtag" href="https://a.example/tags/x">#x</a>' +
      '<a href="https://b.example">b</a><a href="https://b.example">b</a><a href="javascript:alert(1)">c</a><a>d</a><a href="/e">e</a>';
    expect(textOfHtml(html).links).toEqual(['https://b.example']);
  });

  test('is the original of any text that a server escapes, except for spaces', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // Without spaces at the ends, and with single ones inside.
        const words = text.replace(/\s+/g, ' ').trim();
        expect(textOfHtml(`<p>${escaped(words)}</p>`).text).toBe(words);
      }),
    );
  });

  test('is read to its end whatever it contains, in time that grows with its length', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '=',
      '/',
      ' ',
      'a',
      'p',
      '<a ',
      '<!--',
      '-->',
      '&',
      '&amp;',
      '</',
      'class="',
    );
    fc.assert(fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => void textOfHtml(pieces.join(''))));
    for (const part of ['<a b="', "<a '", '</a', '<a / ', '<!-', '<p>', '&#', '<a b=c']) {
      const startedAt = performance.now();
      textOfHtml(part.repeat(100_000));
      expect([part, performance.now() - startedAt < 10_000]).toEqual([part, true]);
    }
  });
});
