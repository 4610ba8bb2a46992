/** Addresses that a key is limited to, as users type them and as requests come from them. */
import { describe, expect, it } from 'vitest';
import { isAllowedFrom, MOST_NETWORKS, readNetworks } from '../../../src/access/address.js';

describe('a list of networks', () => {
  it('is read with commas, spaces and single addresses, each once', () => {
    expect(readNetworks('192.0.2.0/24, 198.51.100.7\n2001:DB8::/32 2001:db8::1,,192.0.2.0/24')).toEqual([
      ...['192.0.2.0/24', '198.51.100.7/32', '2001:db8::/32', '2001:db8::1/128'],
    ]);
    expect(readNetworks('  ')).toEqual([]);
  });

  it.each(['10.1', '0x7f.1', '192.0.2.0/33', '192.0.2.0/', 'example.org', '2001:db8::/129', '1.2.3.4/-1', '::1%lo'])(
    'refuses %s by name',
    (text) => {
      expect(() => readNetworks(text)).toThrow(text);
    },
  );

  it('has at most 20 entries', () => {
    const many = Array.from({ length: MOST_NETWORKS + 1 }, (_, nth) => `192.0.2.${nth}`).join(' ');
    expect(() => readNetworks(many)).toThrow('at most 20');
  });
});

describe('an address', () => {
  it.each([
    ['192.0.2.255', true],
    ['192.0.3.0', false],
    ['::ffff:192.0.2.7', true],
    ['::ffff:c000:207', true],
    ['2001:db8:ffff::1', true],
    ['2001:db9::', false],
    ['', false],
    ['unknown', false],
  ])('%s is within: %s', (address, within) => {
    expect(isAllowedFrom(['192.0.2.0/24', '2001:db8::/32'], address)).toBe(within);
  });
});
