import type { LookupAddress, LookupOptions } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';

/** Resolves all addresses of a name. */
export type Resolve = (hostname: string, options: LookupOptions & { all: true }) => Promise<LookupAddress[]>;

/**
 * For `connect`: resolves a name, and fails if any of its addresses is not public. The connection is made to the
 * returned addresses, so the name cannot resolve to another address in between.
 */
export const guardedLookup =
  (resolve: Resolve, isPublic: (address: string) => boolean): LookupFunction =>
  (hostname, options, callback) => {
    const fail = (error: Error): void => callback(error, '', 0);
    resolve(hostname, { family: options.family, hints: options.hints, all: true } as LookupOptions & {
      all: true;
    }).then((addresses) => {
      const [first] = addresses;
      const refused = addresses.find(({ address }) => !isPublic(address));
      if (first === undefined) return fail(new Error(`${hostname} has no address`));
      if (refused !== undefined)
        return fail(new Error(`${hostname} resolves to ${refused.address}, which is not a public address`));
      if (options.all) return callback(null, addresses);
      return callback(null, first.address, first.family);
    }, fail);
  };

/** How long a look-up may take, and how long it waits for an answer before it asks again, in milliseconds. */
const LONGEST_MS = 3000;
const TRY_MS = 1000;

/** The most look-ups at once, unless the caller sets another bound. */
const MOST_AT_ONCE = 32;

/**
 * Looks up names that strangers chose, by asking the system's name servers directly. `dns.lookup` is not used, because
 * it cannot be cancelled, and occupies a thread of the pool that files and compression need for as long as a name
 * server stays silent. Names that only `/etc/hosts` knows are therefore unknown. No look-up outlives its promise, which
 * resolves to no addresses if none is found in time. Look-ups beyond `mostAtOnce` are refused with an Error.
 */
export function nameLookups({
  servers,
  mostAtOnce = MOST_AT_ONCE,
}: {
  readonly servers?: readonly string[];
  readonly mostAtOnce?: number;
} = {}): Resolve {
  let underway = 0;
  return async (hostname, { family }) => {
    const literal = isIP(hostname);
    if (literal !== 0) return [{ address: hostname, family: literal }];
    if (underway >= mostAtOnce) throw new Error(`${mostAtOnce} names are being looked up`);
    underway += 1;
    const resolver = new Resolver({ timeout: TRY_MS, tries: Math.floor(LONGEST_MS / TRY_MS) });
    if (servers) resolver.setServers(servers);
    const late = setTimeout(() => resolver.cancel(), LONGEST_MS);
    const addresses = async (kind: 4 | 6): Promise<LookupAddress[]> => {
      const query = kind === 4 ? resolver.resolve4(hostname) : resolver.resolve6(hostname);
      return (await query.catch(() => [])).map((address) => ({ address, family: kind }));
    };
    const kinds = ([4, 6] as const).filter((kind) => !family || family === kind || family === `IPv${kind}`);
    try {
      return (await Promise.all(kinds.map(addresses))).flat();
    } finally {
      clearTimeout(late);
      underway -= 1;
    }
  };
}
