import { describe, expect, test } from 'vitest';
import { findLink, nextIn } from '../../../adapters/networks/mastodon/link-header.js';

describe('the Link header (RFC 8288)', () => {
  test.each<[header: string | null, target: string | null]>([
    [null, null],
    ['', null],
    ['<https://a.example/x?max_id=1>; rel="next"', 'https://a.example/x?max_id=1'],
    ['<https://a.example/p>; rel="prev", <https://a.example/n>; rel="next"', 'https://a.example/n'],
    ['<https://a.example/n>;rel=next', 'https://a.example/n'],
    ['<https://a.example/n> ; REL = "first NEXT" ; title="a; b, <c>"', 'https://a.example/n'],
    ['<https://a.example/a,b;c>; title="say \\"x\\""; rel="next"', 'https://a.example/a,b;c'],
    ['<https://a.example/n>; rel="prev"; rel="next"', null],
    ['<https://a.example/n>', null],
    ['https://a.example/n; rel="next"', null],
    ['<https://a.example/n; rel="next"', null],
  ])('%j leads to %j', (header, target) => {
    expect(findLink(header, 'next')).toBe(target);
  });

  test.each<[query: string, position: string | null]>([
    ['limit=40&max_id=7163058', '7163058'],
    ['max_id=7163058&max_id=1', '7163058'],
    ['min_id=7163058', null],
    ['max_id=', null],
    ['max_id=01GP0GD1F7', null],
    ['max_id=-1', null],
    ['max_id=123456789012345678901', null],
    ['max_id=7%26limit%3D1', null],
  ])('keeps only the number of the address: %j gives %j', (query, position) => {
    expect(nextIn(`<https://evil.example/other?${query}>; rel="next"`, 'max_id')).toBe(position);
  });
});
