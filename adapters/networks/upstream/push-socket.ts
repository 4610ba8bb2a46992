import { type ClientOptions, WebSocket } from 'ws';
import { backgroundTimers, monotonic } from '../../../src/lib/monotonic.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { PushLog } from '../../../src/ports/network.js';

/** The largest message that is accepted. */
const MOST_BYTES = 1024 * 1024;
const HANDSHAKE_MS = 10_000;
/** The other side answers each ping, so a connection that is silent for `SILENT_MS` is dead. */
const PING_EVERY_MS = 15_000;
const SILENT_MS = 45_000;
/** The pause before the next attempt doubles each time, up to a minute; it starts over once a connection has lasted. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const LASTED_MS = 60_000;
/** How long an unneeded connection stays open, in case it is soon needed again. */
const LINGER_MS = 30_000;
/** After a longer gap, a connection is not continued: reading the lists finds what was missed. */
const CONTINUED_MS = 60 * 60_000;
/** How long the other side has to confirm that a connection is closed. */
const END_MS = 1_000;

const CONFIGURED: ClientOptions = { handshakeTimeout: HANDSHAKE_MS, maxPayload: MOST_BYTES, perMessageDeflate: false };

/** Shorter times, for tests. */
export interface SocketTimes {
  readonly pingEveryMs?: number;
  readonly silentMs?: number;
  readonly firstPauseMs?: number;
  readonly lingerMs?: number;
}

export interface SocketOptions {
  /** Where to connect. `lostAt`: when the connection that this one continues was lost, Unix milliseconds, or null. */
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
  /** Called once the other side has read everything sent before the ping with this text. */
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
  /** When the other side last sent something; null: there is no connection to continue. */
  #receivedAt: number | null = null;
  #pauseMs: number;
  #mayConnectAt = 0;
  #cancelNext: () => void = () => {};
  /** Why this connection was lost, and the reason that was last reported. */
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

  /** Says that the connection is not needed now. It closes soon unless it is needed again. */
  spare(): void {
    this.#isNeeded = false;
    this.#next(this.#times.lingerMs, () => this.close());
  }

  close(): void {
    this.#isNeeded = false;
    this.#cancelNext();
    const socket = this.#socket;
    [this.#socket, this.#receivedAt] = [null, null];
    if (socket === null) return;
    this.#lose();
    socket.close();
    backgroundTimers.after(END_MS, () => socket.terminate());
  }

  /** Returns false, and sends nothing, without a connection or while earlier data is still being sent. */
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
    const awayMs = this.#receivedAt === null ? CONTINUED_MS : monotonic.now() - this.#receivedAt;
    const { url, headers } = address(awayMs < CONTINUED_MS ? clock.now() - awayMs : null);
    const socket = new WebSocket(url, { ...CONFIGURED, headers: { 'user-agent': userAgent, ...headers } });
    this.#socket = socket;
    this.#reason = '';
    // Ignores whatever arrives after this socket was given up.
    const received = (then: (data: Buffer) => void) => (data: unknown) => {
      if (this.#socket !== socket || !this.#isConnected) return;
      this.#receivedAt = monotonic.now();
      then(data as Buffer);
    };
    const text = received((data) => onText(data.toString('utf8')));
    const pong = received((data) => onPong(data.toString('latin1')));
    const ping = received(() => {});
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
    this.#connectedAt = this.#receivedAt = monotonic.now();
    this.#say(true, 'connected');
    if (this.#isNeeded) this.#keepAlive();
    else this.spare();
    this.#options.onOpen();
  }

  #keepAlive(): void {
    const { pingEveryMs, silentMs } = this.#times;
    const look = (): void => {
      if (monotonic.now() - (this.#receivedAt ?? 0) > silentMs) return void this.drop('it fell silent');
      this.#socket?.ping();
      this.#keepAlive();
    };
    // After a stall of this process, the timer comes before what arrived meanwhile, which must be read first.
    this.#next(pingEveryMs, () => this.#next(0, look));
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

  /** Reports a reason once, however often it repeats. */
  #say(isConnected: boolean, reason: string): void {
    if (this.#said === reason) return;
    this.#said = reason;
    this.#options.onConnection(isConnected, reason);
  }

  /** Schedules the next step (to connect, to ping, or to close), which replaces the one scheduled before. */
  #next(ms: number, then: () => void): void {
    this.#cancelNext();
    this.#cancelNext = backgroundTimers.after(Math.max(0, ms), then);
  }
}
