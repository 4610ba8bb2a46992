import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { type StaticBody, sendStatic, staticBody } from '../../http/bodies/static-body.js';

/** By path, all under one folder named after a hash of the content: an address never changes its content. */
export type AssetSet = ReadonlyMap<string, StaticBody>;

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  png: 'image/png',
};

const digest = (bytes: Buffer | string): string =>
  createHash('sha256').update(bytes).digest('base64url').replaceAll(/[-_]/g, '').slice(0, 16);

/** All files under one hash, so that scripts of a set can import each other by relative names. */
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

/** Served to be cached for ever, and without a rate limit. */
export function mountAssets(app: FastifyInstance, assets: AssetSet): void {
  for (const [url, asset] of assets) {
    app.route({
      method: ['GET', 'HEAD'],
      url,
      handler: (request, reply) => sendStatic(request, reply, asset, 'public, max-age=31536000, immutable'),
    });
  }
}
