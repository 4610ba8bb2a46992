import { createConnection, Socket } from 'node:net';
import { clearInterval, setInterval } from 'node:timers';

/** After this long without a byte from the server, it is asked whether it is there. */
const LONGEST_SILENCE_MS = 10_000;
/** How long it has for an answer. */
const LONGEST_REPLY_MS = 5_000;

/** A request for TLS, which every server answers at once with one byte, whether it has TLS or not. */
const GREETING = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/**
 * Makes sockets that notice when their server has gone silently: its machine has lost its power or its network, or
 * hangs. TCP would wait for a quarter of an hour, and a statement with it. A server that answers when asked may be
 * silent for as long as its statements take.
 */
export class SilenceWatch {
  readonly #silenceMs: number;
  readonly #answerMs: number;
  readonly #received = new Map<Socket, { bytes: number; atMs: number }>();
  #sweeping: NodeJS.Timeout | null = null;

  constructor({ silenceMs = LONGEST_SILENCE_MS, answerMs = LONGEST_REPLY_MS } = {}) {
    this.#silenceMs = silenceMs;
    this.#answerMs = answerMs;
  }

  /** Makes a socket, which the caller connects, and watches it until it closes. */
  open(): Socket {
    const socket = new Socket();
    this.#received.set(socket, { bytes: 0, atMs: performance.now() });
    this.#sweeping ??= setInterval(() => this.#sweep(), this.#silenceMs / 4).unref();
    socket.once('close', () => this.#forget(socket));
    return socket;
  }

  #forget(socket: Socket): void {
    this.#received.delete(socket);
    if (this.#received.size > 0 || this.#sweeping === null) return;
    clearInterval(this.#sweeping);
    this.#sweeping = null;
  }

  #sweep(): void {
    const now = performance.now();
    const silent = new Map<string, Socket[]>();
    for (const [socket, received] of this.#received) {
      // With TLS, the driver removes all listeners of the socket.
      if (socket.destroyed) {
        this.#forget(socket);
        continue;
      }
      if (socket.bytesRead !== received.bytes) Object.assign(received, { bytes: socket.bytesRead, atMs: now });
      // A socket that is still connecting has its own limit. Socket files of this machine lose nothing.
      const { remoteAddress: host, remotePort: port } = socket;
      if (now - received.atMs < this.#silenceMs || host === undefined || port === undefined) continue;
      const at = `${port} ${host}`;
      silent.set(at, [...(silent.get(at) ?? []), socket]);
      // Not asked again before the same time has passed.
      received.atMs = now;
    }
    for (const [at, sockets] of silent) {
      const [port, host] = at.split(' ');
      this.#probe(Number(port), host ?? '', () => this.#giveUp(sockets));
    }
  }

  /** Without an answer, whatever the reason, the server does not serve the other connections either. */
  #probe(port: number, host: string, unanswered: () => void): void {
    const probe = createConnection({ port, host });
    const timer = setTimeout(() => probe.destroy(), this.#answerMs);
    let isAnswered = false;
    probe.once('data', () => {
      isAnswered = true;
      probe.destroy();
    });
    // An error is followed by `close`, which is what counts.
    probe.on('error', () => {});
    probe.once('close', () => {
      clearTimeout(timer);
      if (!isAnswered) unanswered();
    });
    probe.write(GREETING);
  }

  #giveUp(sockets: readonly Socket[]): void {
    for (const socket of sockets) {
      if (socket.bytesRead !== this.#received.get(socket)?.bytes) continue;
      socket.destroy(Object.assign(new Error('The database server does not answer.'), { code: 'ETIMEDOUT' }));
    }
  }
}
