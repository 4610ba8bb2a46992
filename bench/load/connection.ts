import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** The length of an answer's body by its head, or `chunked` if the head does not say. */
function bodyLeft(chunk: Buffer): number | 'chunked' {
  const end = chunk.indexOf(HEAD_END);
  const head = chunk.toString('latin1', 0, end < 0 ? chunk.length : end);
  if (end < 0 || !head.startsWith('HTTP/1.1 200'))
    throw new Error(`the answer was no 200:\n${chunk.toString('utf8', 0, 1500)}`);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  return length === undefined ? 'chunked' : Number(length) - (chunk.length - end - HEAD_END.length);
}

/** Returns for each received piece whether it ends an answer. Throws on any answer but 200. */
export function answerEnds(): (chunk: Buffer) => boolean {
  let left: number | 'chunked' = 0;
  return (chunk) => {
    if (left === 0) left = bodyLeft(chunk);
    else if (left !== 'chunked') left -= chunk.length;
    if (left === 'chunked' && chunk.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) left = 0;
    return left === 0;
  };
}

/**
 * One kept-alive connection: sends a request, reads the whole answer, and sends the next until `goesOn` returns false.
 * It speaks only as much HTTP as servers on the loopback need, because a client's CPU time is lost to the servers that
 * it measures. Rejects on any answer but 200, and when the server hangs up.
 */
export function keepRequesting(
  url: string,
  nextRequest: () => string,
  goesOn: (tookMs: number) => boolean,
): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let sentAt = 0;
    const ends = answerEnds();
    const send = (): void => {
      sentAt = performance.now();
      socket.write(nextRequest());
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`${url} hung up`)));
    socket.on('data', (chunk) => {
      try {
        if (!ends(chunk)) return;
        if (goesOn(performance.now() - sentAt)) return send();
        resolve();
        socket.destroy();
      } catch (error) {
        reject(error);
        socket.destroy();
      }
    });
  });
}
