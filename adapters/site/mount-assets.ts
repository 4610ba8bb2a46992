import type { FastifyInstance } from 'fastify';
import type { AssetSet } from './asset-set.js';
import { packable } from './packed.js';

/** Assets never change under their address and have no rate limit (L10). */
export function mountAssets(app: FastifyInstance, assets: AssetSet): void {
  for (const [url, asset] of assets) {
    const bytes = packable(asset);
    app.route({
      method: ['GET', 'HEAD'],
      url,
      handler: async (request, reply) => {
        reply.header('Cache-Control', 'public, max-age=31536000, immutable').header('Vary', 'Accept-Encoding');
        reply.header('ETag', asset.etag).type(asset.type);
        if (request.headers['if-none-match'] === asset.etag) return reply.code(304).send();
        const { body, encoding } = await bytes(request.headers['accept-encoding']);
        // Set even without compression: the asset is compressed here, once, and not again when it is sent.
        return reply.header('Content-Encoding', encoding).send(body);
      },
    });
  }
}
