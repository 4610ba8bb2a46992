import { type ClientOptions, WebSocket } from 'ws';
import { backgroundTimers, monotonic } from '../../../src/lib/monotonic.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { PushLog } from '../../../src/ports/network.js';

/** The largest message that is read. */
const MOST_BYTES = 1024 * 1024;
const HANDSHAKE_MS = 10_000;
/** A connection that is silent for so long is dead: each ping is answered. */
const PING_EVERY_MS = 15_000;
const SILENT_MS = 45_000;
/** Between two attempts: twice as long each time, up to a minute; from the start again once a connection has lasted. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const LASTED_MS = 60_000;
/** How long a connection that nobody needs stays open: they may come back. */
const LINGER_MS = 30_000;
/** What was missed for longer is found by reading the lists. */
const CONTINUED_MS = 60 * 60_000;
/** How long the other side has to agree that a connection ends. */
const END_MS = 1_000;

const CONFIGURED: ClientOptions = { handshakeTimeout: HANDSHAKE_MS, maxPayload: MOST_BYTES, perMessageDeflate: false };

/** Shorter ones, for tests. */
export interface SocketTimes {
  readonly pingEveryMs?: number;
  readonly silentMs?: number;
  readonly firstPauseMs?: number;
  readonly lingerMs?: number;
}

export interface SocketOptions {
  /** Where to connect; `lostAt`: when a connection was lost that this one continues, Unix milliseconds. */
  readonly address: (lostAt: number | null) => {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly userAgent: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly times?: SocketTimes | undefined;
  readonly onConnection: PushLog['onConnection'];
  readonly onOpen: () => void;
  readonly onText: (text: string) => void;
  /** The other side has read what was sent before the ping with this text. */
  readonly onPong: (text: string) => void;
  readonly onLost: () => void;
}

/** A WebSocket that is opened again whenever it is lost, as long as it is needed. */
export class PushSocket {
  readonly #options: SocketOptions;
  readonly #times: Required<SocketTimes>;
  #socket: WebSocket | null = null;
  #isNeeded = false;
  #isConnected = false;
  #connectedAt = 0;
  /** When there was a sign of life; null: no connection is continued. */
  #heardAt: number | null = null;
  #pauseMs: number;
  #mayConnectAt = 0;
  #cancelNext: () => void = () => {};
  /** Why this connection is lost, and what was last said of it. */
  #reason = '';
  #said = '';

  constructor(options: SocketOptions) {
    this.#options = options;
    const defaults = { pingEveryMs: PING_EVERY_MS, silentMs: SILENT_MS, firstPauseMs: FIRST_PAUSE_MS };
    this.#times = { ...defaults, lingerMs: LINGER_MS, ...options.times };
    this.#pauseMs = this.#times.firstPauseMs;
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  need(): void {
    if (this.#isNeeded) return;
    this.#isNeeded = true;
    this.#cancelNext();
    if (this.#isConnected) this.#keepAlive();
    else if (this.#socket === null) this.#connectSoon();
  }

  /** Nobody needs it: it ends soon if that stays so. */
  spare(): void {
    this.#isNeeded = false;
    this.#next(this.#times.lingerMs, () => this.close());
  }

  close(): void {
    this.#isNeeded = false;
    this.#cancelNext();
    const socket = this.#socket;
    [this.#socket, this.#heardAt] = [null, null];
    if (socket === null) return;
    this.#lose();
    socket.close();
    backgroundTimers.after(END_MS, () => socket.terminate());
  }

  /** False while what was sent before is still on its way: it is not sent then. */
  send(text: string, ping: string): boolean {
    const socket = this.#socket;
    if (socket === null || !this.#isConnected || socket.bufferedAmount > 0) return false;
    socket.send(text);
    socket.ping(ping);
    return true;
  }

  /** Ends this connection, and tries again later. */
  drop(reason: string): void {
    this.#reason = reason;
    this.#socket?.terminate();
  }

  #connectSoon(): void {
    this.#next(this.#mayConnectAt - monotonic.now(), () => this.#connect());
  }

  #connect(): void {
    const { address, userAgent, clock, onText, onPong } = this.#options;
    const awayMs = this.#heardAt === null ? CONTINUED_MS : monotonic.now() - this.#heardAt;
    const { url, headers } = address(awayMs < CONTINUED_MS ? clock.now() - awayMs : null);
    const socket = new WebSocket(url, { ...CONFIGURED, headers: { 'user-agent': userAgent, ...headers } });
    this.#socket = socket;
    this.#reason = '';
    // Nothing that comes after it was given up is heard.
    const hear = (then: (data: Buffer) => void) => (data: unknown) => {
      if (this.#socket !== socket || !this.#isConnected) return;
      this.#heardAt = monotonic.now();
      then(data as Buffer);
    };
    const text = hear((data) => onText(data.toString('utf8')));
    const pong = hear((data) => onPong(data.toString('latin1')));
    const ping = hear(() => {});
    socket.on('message', text).on('pong', pong).on('ping', ping);
    socket.on('open', () => {
      if (this.#socket === socket) this.#hasOpened();
    });
    socket.on('error', ({ message }) => {
      if (this.#socket === socket) this.#reason ||= message;
    });
    socket.on('close', (code) => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.#lose();
      this.#say(false, this.#reason || `closed with code ${code}`);
      this.#pause();
      if (this.#isNeeded) this.#connectSoon();
    });
  }

  #hasOpened(): void {
    this.#isConnected = true;
    this.#connectedAt = this.#heardAt = monotonic.now();
    this.#say(true, 'connected');
    if (this.#isNeeded) this.#keepAlive();
    else this.spare();
    this.#options.onOpen();
  }

  #keepAlive(): void {
    this.#next(this.#times.pingEveryMs, () => {
      if (monotonic.now() - (this.#heardAt ?? 0) > this.#times.silentMs) return void this.drop('it fell silent');
      this.#socket?.ping();
      this.#keepAlive();
    });
  }

  #lose(): void {
    this.#cancelNext();
    if (!this.#isConnected) return;
    this.#isConnected = false;
    if (monotonic.now() - this.#connectedAt >= LASTED_MS) this.#pauseMs = this.#times.firstPauseMs;
    this.#options.onLost();
  }

  #pause(): void {
    this.#mayConnectAt = monotonic.now() + this.#pauseMs * (0.5 + this.#options.random() / 2);
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * this.#pauseMs);
  }

  /** Once, however often it fails for the same reason. */
  #say(isConnected: boolean, reason: string): void {
    if (this.#said === reason) return;
    this.#said = reason;
    this.#options.onConnection(isConnected, reason);
  }

  /** What it waits for: to connect, to ping, or to end. */
  #next(ms: number, then: () => void): void {
    this.#cancelNext();
    this.#cancelNext = backgroundTimers.after(Math.max(0, ms), then);
  }
}
