import { createServer, type Server } from 'node:http';
import { type Answers, answerId } from './answers.js';

/** A server without any promise: `node:http` with exactly the bytes that Perch sends to the same client. */
export async function bare({ rest }: Answers): Promise<Server> {
  const answers = new Map(
    rest.map(({ path, acceptEncoding, headers, base64 }) => {
      const body = Buffer.from(base64, 'base64');
      return [answerId(path, acceptEncoding), { headers: { ...headers, 'content-length': body.length }, body }];
    }),
  );
  return createServer((request, response) => {
    const answer = answers.get(answerId(request.url ?? '', request.headers['accept-encoding']?.toString()));
    if (!answer) return void response.writeHead(404).end();
    response.writeHead(200, answer.headers).end(answer.body);
  });
}
