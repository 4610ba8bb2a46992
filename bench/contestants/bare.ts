import { createServer, type Server } from 'node:http';
import type { Answers } from './answers.js';

/** The limit: `node:http` with the bytes at hand and nothing to think about. */
export async function bare({ rest }: Answers): Promise<Server> {
  const bodies = new Map(Object.entries(rest).map(([path, body]) => [path, Buffer.from(body)]));
  return createServer((request, response) => {
    const body = bodies.get(request.url ?? '');
    if (!body) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
    response.end(body);
  });
}
