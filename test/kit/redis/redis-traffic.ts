import { Socket } from 'node:net';
import { vi } from 'vitest';

export interface Traffic {
  /** The number of commands sent; a script counts as one, whatever it does. */
  readonly commands: number;
  /**
   * Round trips: how often a connection wrote after it had received an answer. The number of the busiest connection.
   */
  readonly trips: number;
}

export interface TrafficWatch {
  /** What this process sends to Redis during `work`, except what every node sends once a second. */
  during(work: () => Promise<unknown>): Promise<Traffic>;
  stop(): void;
}

interface Connection {
  trips: number;
  isAnswered: boolean;
}

/** Watches this process's sockets to these servers. */
export function watchRedisTraffic(urls: readonly string[]): TrafficWatch {
  const ports = new Set(urls.map((url) => Number(new URL(url).port)));
  const known = new WeakSet<Socket>();
  let connections = new Map<Socket, Connection>();
  let commands = 0;

  const note = (socket: Socket, chunk: unknown): void => {
    const said = commandsIn(chunk).filter((words) => !isOfTheNode(words));
    if (said.length === 0) return;
    commands += said.length;
    if (!known.has(socket)) {
      known.add(socket);
      socket.on('data', () => {
        const connection = connections.get(socket);
        if (connection) connection.isAnswered = true;
      });
    }
    const connection = connections.get(socket) ?? { trips: 0, isAnswered: true };
    connections.set(socket, connection);
    if (connection.isAnswered) connection.trips += 1;
    connection.isAnswered = false;
  };

  const write = Socket.prototype.write;
  const spy = vi.spyOn(Socket.prototype, 'write').mockImplementation(function (this: Socket, ...args: unknown[]) {
    if (ports.has(this.remotePort ?? 0)) note(this, args[0]);
    return write.apply(this, args as Parameters<typeof write>);
  });

  return {
    async during(work) {
      connections = new Map();
      commands = 0;
      await work();
      const trips = Math.max(0, ...[...connections.values()].map((connection) => connection.trips));
      return { commands, trips };
    },
    stop: () => spy.mockRestore(),
  };
}

const isOfTheNode = (words: readonly string[]): boolean =>
  words[0]?.toLowerCase() === 'info' || words.includes('perch:nodes') || words.includes('perch:tombstones');

/** The words of each command in a chunk, which holds whole commands only. */
function commandsIn(chunk: unknown): string[][] {
  const bytes = Buffer.from(chunk as string | Uint8Array);
  const commands: string[][] = [];
  let at = 0;
  /** The number that follows a sign, up to the end of the line. */
  const count = (): number => {
    const end = bytes.indexOf('\r\n', at);
    const value = Number(bytes.toString('latin1', at + 1, end));
    at = end + 2;
    return value;
  };
  while (at < bytes.length) {
    commands.push(
      Array.from({ length: count() }, () => {
        const length = count();
        at += length + 2;
        return bytes.toString('utf8', at - length - 2, at - 2);
      }),
    );
  }
  return commands;
}
