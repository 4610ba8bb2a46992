/** A sign-in may lead to our own pages only, whatever tricks the address uses. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeNext, signInPath } from '../../../src/sign-in/safe-next.js';

describe('safeNext', () => {
  it.each([
    '/dashboard',
    '/dashboard/',
    '/dashboard/keys',
    '/operator',
    '/operator/accounts/0195a000-0000-7000-8000-000000000000?done=thawed',
    '/dashboard/usage?from=2026-11-01&group=day,key',
    '/oauth/authorize?client_id=https://client.example/c.json&redirect_uri=http%3A%2F%2F127.0.0.1:1%2Fcb&state=a/b//c',
  ])('allows %s', (path) => {
    expect(safeNext(path)).toBe(path);
  });

  it.each([
    ['nothing', ''],
    ['the start', '/'],
    ['another page', '/status'],
    ['what only begins like it', '/dashboardx'],
    ['what only begins like the operator’s', '/operatorx'],
    ['what only begins like it, too', '/oauth/authorize.evil'],
    ['another host', '//evil.example/dashboard'],
    ['three slashes', '///evil.example/dashboard'],
    ['a backslash', '/\\evil.example'],
    ['a backslash first', '\\/evil.example'],
    ['a backslash within', '/dashboard\\..\\..\\evil'],
    ['an address', 'https://evil.example/dashboard'],
    ['an address without slashes', 'https:evil.example'],
    ['a script', 'javascript:alert(1)//dashboard'],
    ['a user', '@evil.example/dashboard'],
    ['an encoded slash', '/%2fevil.example'],
    ['an encoded slash within', '/dashboard%2f..%2f..%2fevil'],
    ['an encoded backslash', '/dashboard/%5c%5cevil.example'],
    ['a way up', '/dashboard/../..//evil.example'],
    ['a way up and out', '/dashboard/../status'],
    ['an encoded way up', '/dashboard/%2e%2e/%2e%2e//evil.example'],
    ['a newline', '/dashboard\nLocation: https://evil.example'],
    ['a return', '/dashboard\r\nSet-Cookie: a=b'],
    ['a tab that browsers drop', '/\t/evil.example'],
    ['a newline that browsers drop', '/\n/evil.example'],
    ['a space first', ' /dashboard'],
    ['a NUL', '/dashboard\u0000'],
    ['a slash of another script', '/\u2215evil.example'],
    ['two slashes within', '/dashboard//evil.example'],
    ['too long', `/dashboard?${'a'.repeat(5000)}`],
  ])('refuses %s', (_name, path) => {
    expect(safeNext(path)).toBeNull();
  });

  it('allows only addresses that every parser resolves to our pages on this host', () => {
    const part = fc.constantFrom(
      '/',
      '\\',
      '..',
      '.',
      '%2f',
      '%5c',
      '%2e',
      '@',
      ':',
      '?',
      '#',
      '\t',
      '\n',
      ' ',
      'dashboard',
      'oauth',
      'authorize',
      'evil.example',
      'https:',
      '/dashboard',
      '/operator',
      '/oauth/authorize',
      '\u0000',
      'é',
    );
    const text = fc.oneof(
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
      fc.string(),
    );
    fc.assert(
      fc.property(text, fc.constantFrom('https://perch.example', 'http://127.0.0.1:4000'), (path, base) => {
        const next = safeNext(path);
        if (next === null) return;
        const url = new URL(next, base);
        expect(url.origin).toBe(base);
        expect(url.pathname + url.search).toBe(next);
        expect(url.pathname).toMatch(/^\/((dashboard|operator)(\/[\w-]+)*|oauth\/authorize)\/?$/);
        expect(safeNext(next)).toBe(next);
      }),
      { numRuns: 2000 },
    );
  });

  it('passes the destination on to the sign-in page', () => {
    expect(signInPath(null)).toBe('/sign-in');
    expect(signInPath('/oauth/authorize?a=b&c=d')).toBe('/sign-in?next=%2Foauth%2Fauthorize%3Fa%3Db%26c%3Dd');
  });
});
