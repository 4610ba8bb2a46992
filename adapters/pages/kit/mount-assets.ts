import type { FastifyInstance } from 'fastify';
import { sendStatic, staticBody } from '../../http/bodies/static-body.js';
import type { AssetSet } from './asset-set.js';

/** Assets never change under their address and have no rate limit (L10). */
export function mountAssets(app: FastifyInstance, assets: AssetSet): void {
  for (const [url, { type, body }] of assets) {
    const asset = staticBody(type, body);
    app.route({
      method: ['GET', 'HEAD'],
      url,
      handler: (request, reply) => sendStatic(request, reply, asset, 'public, max-age=31536000, immutable'),
    });
  }
}
