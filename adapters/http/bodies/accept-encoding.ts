import { negotiate } from '@fastify/accept-negotiator';

/**
 * The content coding to answer with, of `names`, the best first; undefined: uncompressed. As for answers that are compressed
 * individually: case does not matter, and `*` means gzip, which every client reads.
 */
export const encodingAskedFor = (acceptEncoding: string | undefined, names: string[]): string | undefined =>
  negotiate((acceptEncoding ?? '').toLowerCase().replaceAll(/\*|x-gzip/g, 'gzip'), names) ?? undefined;
