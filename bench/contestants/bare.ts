import { createServer, type Server } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Answers } from './answers.js';

/** As good as Perch makes them. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** The limit: `node:http` with the bytes in memory, compressed as they are asked for, and nothing to think about. */
export async function bare({ rest }: Answers): Promise<Server> {
  const bodies = new Map(Object.entries(rest).map(([path, body]) => [path, inEncodings(Buffer.from(body))]));
  return createServer((request, response) => {
    const body = bodies.get(request.url ?? '');
    if (!body) return void response.writeHead(404).end();
    const accepted = request.headers['accept-encoding'] ?? '';
    const encoding = accepted.includes('br') ? 'br' : accepted.includes('gzip') ? 'gzip' : 'identity';
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body[encoding].length,
      'content-encoding': encoding,
    });
    response.end(body[encoding]);
  });
}

const inEncodings = (identity: Buffer) => ({
  identity,
  br: brotliCompressSync(identity, BROTLI),
  gzip: gzipSync(identity),
});
