import { EventEmitter } from 'node:events';
import { Redis } from 'ioredis';
import type { RedisClient } from '../../../../adapters/redis/client.js';
import type { Timers } from '../../../../src/ports/clock.js';
import type { RedisServer } from './redis-server.js';
import type { Host, Station, Wire } from './wire.js';

const COMMANDS = [
  ...['evalsha', 'mget', 'set', 'unlink', 'hgetall', 'hsetnx', 'exists', 'smismember', 'zrem', 'xrange', 'scan'],
] as const;

interface Pending {
  readonly name: string;
  readonly args: readonly (string | number)[];
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface SimulatedRedis {
  readonly server: RedisServer;
  readonly station: Station;
  readonly wire: Wire;
  /** The subscribers of each channel. */
  readonly subscribers: Set<Subscriber>;
}

interface Subscriber {
  readonly host: Host;
  readonly channels: Set<string>;
  readonly deliver: (channel: string, message: string) => void;
}

/** Sends messages to all subscribers, each on its own wire; any message may be lost. */
export function openRedis(server: RedisServer, station: Station, wire: Wire): SimulatedRedis {
  const subscribers = new Set<Subscriber>();
  server.publish = (channel, message) => {
    for (const { host, channels, deliver } of subscribers) {
      if (!host.isAlive || !channels.has(channel) || station.isDown) continue;
      // A lost message is not sent again.
      wire
        .call(host, station, `message on ${channel}`, () => {})
        .then(
          () => deliver(channel, message),
          () => {},
        );
    }
  };
  return { server, station, wire, subscribers };
}

/** The names of the commands sent together, or their number if all are the same. */
function namesOf(sent: readonly Pending[]): string {
  const [{ name }] = sent as [Pending];
  if (sent.length === 1) return name;
  return sent.every((one) => one.name === name) ? `${sent.length} ${name}` : sent.map((one) => one.name).join(' ');
}

/** A connection of one process, like one of ioredis. Commands of one tick are sent together. */
export function connectRedis(redis: SimulatedRedis, host: Host, timers: Timers): RedisClient {
  const { server, station, wire } = redis;
  let pending: Pending[] = [];
  const flush = (): void => {
    const sent = pending;
    pending = [];
    const what = namesOf(sent);
    const answers = wire.call(host, station, what, () => sent.map(({ name, args }) => server.command(name, args)));
    answers.then(
      (values) => {
        for (const [n, { resolve }] of sent.entries()) resolve(values[n]);
      },
      (error) => {
        for (const { reject } of sent) reject(error);
      },
    );
  };
  const send =
    (name: string) =>
    (...given: (string | number | (string | number)[])[]): Promise<unknown> => {
      const args = given.some(Array.isArray) ? given.flat() : (given as (string | number)[]);
      return new Promise((resolve, reject) => {
        if (pending.push({ name, args, resolve, reject }) === 1) queueMicrotask(flush);
      });
    };
  // The adapters tell a server from a cluster by its class, in the places where it matters.
  const client = Object.create(Redis.prototype);
  const commands = Object.fromEntries(COMMANDS.map((name) => [name, send(name)]));
  const duplicate = () => subscribe(redis, host, timers);
  return Object.assign(client, commands, { status: 'ready', on: () => client, disconnect() {}, duplicate });
}

/** A connection that receives messages. */
function subscribe({ subscribers }: SimulatedRedis, host: Host, timers: Timers): unknown {
  const events = new EventEmitter();
  const subscriber: Subscriber = {
    host,
    channels: new Set(),
    deliver: (channel, message) => void events.emit('message', channel, message),
  };
  subscribers.add(subscriber);
  timers.after(1, () => events.emit('ready'));
  return Object.assign(events, {
    status: 'ready',
    disconnect: () => void subscribers.delete(subscriber),
    async subscribe(...channels: string[]) {
      for (const channel of channels) subscriber.channels.add(channel);
    },
  });
}
