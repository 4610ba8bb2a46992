import { Redis } from 'ioredis';
import { backoffMs, type RedisClient } from './client.js';

type Listener = (message: string) => void;

/** The listeners of each channel, on their own connection. If it fails, only messages are lost. */
export class Subscriptions {
  readonly #channels = new Map<string, Set<Listener>>();
  #connection: Redis | undefined;

  add(channel: string, listener: Listener): () => void {
    const listeners = this.#channels.get(channel) ?? new Set();
    listeners.add(listener);
    this.#channels.set(channel, listeners);
    this.#subscribe([channel]);
    return () => listeners.delete(listener);
  }

  /**
   * Called when Redis is up. Replaces a connection that is not, with another master of a cluster if its own has gone.
   */
  renew(client: RedisClient): void {
    // Subscribing again changes nothing, and reveals whether the connection still works.
    if (this.#connection?.status === 'ready') {
      this.#subscribe([...this.#channels.keys()]);
      return;
    }
    this.close();
    // A cluster passes messages on between its nodes, so one master is enough. The cluster client's own subscriber
    // leaks listeners while no node answers.
    const masters = client instanceof Redis ? [client] : client.nodes('master');
    const options = {
      retryStrategy: backoffMs,
      enableOfflineQueue: false,
      enableAutoPipelining: false,
      lazyConnect: false,
    };
    this.#connection = masters.find(({ status }) => status === 'ready')?.duplicate(options);
    this.#connection?.on('error', () => undefined);
    this.#connection?.on('ready', () => this.#subscribe([...this.#channels.keys()]));
    this.#connection?.on('message', (channel: string, message: string) => {
      for (const listener of this.#channels.get(channel) ?? []) listener(message);
    });
  }

  close(): void {
    this.#connection?.disconnect();
  }

  #subscribe(channels: readonly string[]): void {
    // Rejected while not connected; `ready` then subscribes again.
    if (channels.length > 0) this.#connection?.subscribe(...channels).catch(() => undefined);
  }
}
