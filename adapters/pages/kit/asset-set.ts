import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { type StaticBody, sendStatic, staticBody } from '../../http/bodies/static-body.js';

/** Files by path, in a folder named after a hash of their content, so the content at an address never changes. */
export type AssetSet = ReadonlyMap<string, StaticBody>;

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  png: 'image/png',
};

const digest = (bytes: Buffer | string): string =>
  createHash('sha256').update(bytes).digest('base64url').replaceAll(/[-_]/g, '').slice(0, 16);

/** Puts all files under one hash, so that scripts of a set can import each other by relative names. */
export function assetSet(prefix: string, files: Readonly<Record<string, Buffer>>): AssetSet {
  const entries = Object.entries(files);
  const folder = digest(entries.map(([name, body]) => `${name} ${digest(body)}`).join('\n'));
  return new Map(
    entries.map(([name, body]) => {
      const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
      if (type === undefined) throw new RangeError(`No media type is known for the asset ${name}`);
      return [`${prefix}/${folder}/${name}`, staticBody(type, body)];
    }),
  );
}

/** The path under which a file of the set is served. */
export function pathIn(set: AssetSet, name: string): string {
  for (const path of set.keys()) if (path.endsWith(`/${name}`)) return path;
  throw new RangeError(`There is no asset ${name}`);
}

/** Serves the files without a rate limit, to be cached forever. */
export function mountAssets(app: FastifyInstance, assets: AssetSet): void {
  for (const [url, asset] of assets) {
    app.route({
      method: ['GET', 'HEAD'],
      url,
      handler: (request, reply) => sendStatic(request, reply, asset, 'public, max-age=31536000, immutable'),
    });
  }
}
