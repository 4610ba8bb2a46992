import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Resolves all addresses of a name. */
export type Resolve = (hostname: string, options: LookupOptions & { all: true }) => Promise<LookupAddress[]>;

/**
 * For `connect`: resolves a name, and fails if any of its addresses is not public. The connection is made to the
 * addresses returned, so that the name cannot resolve to another address in between.
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
