import { connect, type Socket } from 'node:net';

/** A bare connection, for what no HTTP client would send. */
export interface RawClient {
  readonly socket: Socket;
  /** Everything received so far. */
  received(): string;
  /** Resolves with everything received, once the connection is closed. */
  readonly closed: Promise<string>;
}

/**
 * Connects and writes `text`. With `read: false` it takes nothing off the wire; with `closes: false` it never closes
 * its side. Errors show as a closed connection.
 */
export function rawClient(
  url: string,
  text: string,
  { read = true, closes = true, localAddress = '127.0.0.1' } = {},
): RawClient {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress, allowHalfOpen: !closes });
  let got = '';
  if (read)
    socket.setEncoding('latin1').on('data', (part: string) => {
      got += part;
    });
  else socket.pause();
  socket.on('error', () => {});
  if (text !== '') socket.write(text);
  return { socket, received: () => got, closed: new Promise((resolve) => socket.once('close', () => resolve(got))) };
}

export const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: perch\r\n${headers}\r\n`;

export const post = (path: string, headers: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: perch\r\nContent-Type: application/json\r\n${headers}\r\n${body}`;
