import { createServer, type Server } from 'node:http';
import type { Answers } from './answers.js';

/** The limit: `node:http` with the very bytes that Perch sends to the same client, and nothing to think about. */
export async function bare({ rest }: Answers): Promise<Server> {
  const answers = new Map(
    rest.map(({ path, acceptEncoding, contentEncoding, base64 }) => {
      const body = Buffer.from(base64, 'base64');
      const headers = {
        'content-type': 'application/json; charset=utf-8',
        'content-length': body.length,
        ...(contentEncoding !== null && { 'content-encoding': contentEncoding }),
      };
      return [`${path} ${acceptEncoding}`, { headers, body }];
    }),
  );
  return createServer((request, response) => {
    const answer = answers.get(`${request.url} ${request.headers['accept-encoding'] ?? ''}`);
    if (!answer) return void response.writeHead(404).end();
    response.writeHead(200, answer.headers).end(answer.body);
  });
}
