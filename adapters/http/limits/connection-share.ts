import { readFileSync } from 'node:fs';
import { BlockList, isIPv6, type Socket } from 'node:net';
import { limitAddress, plainAddress } from '../../../src/access/address.js';
import { ServiceError } from '../../../src/domain/errors.js';
import { counted } from '../../../src/domain/figures.js';
import { FairShare } from '../../../src/lib/fair-share.js';
import { monotonic } from '../../../src/lib/monotonic.js';
import type { SocketFailures } from '../client-error.js';

/** The address ranges behind the names that a list of trusted proxies may contain, as Fastify defines them. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * Whether a connection comes from one of these addresses, ranges or names, which are load balancers that serve many
 * clients.
 */
function trustedPeers(proxies: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const range of proxies.flatMap((proxy) => NAMED[proxy] ?? proxy)) {
    const [net = '', bits] = range.split('/');
    const family = isIPv6(net) ? 'ipv6' : 'ipv4';
    if (bits === undefined) trusted.addAddress(net, family);
    else trusted.addSubnet(net, Number(bits), family);
  }
  return (address) => {
    const plain = plainAddress(address);
    return trusted.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  };
}

export interface ConnectionShareOptions {
  /** The most connections open at once, over all clients. */
  readonly total: number;
  /** Load balancers: only the total applies to them, not a share per address. */
  readonly trustedProxies: readonly string[];
  /** Milliseconds after which a connection that has not sent a whole request is closed. */
  readonly longestMs: number;
  readonly failures: SocketFailures;
}

export interface Connections {
  readonly open: number;
  /** Connections refused since the start. */
  readonly refused: number;
}

export interface ConnectionShare extends Connections {
  /** Counts a connection until it is closed; false: it was refused. */
  admits(socket: Socket): boolean;
}

/** The most refused connections that are being sent a reason at the same time; any more are closed without one. */
const MAX_FAREWELLS = 100;

/**
 * Bounds the connections open at once, and those of one address by the dynamic threshold (`FairShare`). A connection
 * beyond either is answered 503 with `Connection: close` before anything it sent is parsed.
 */
export function shareConnections(options: ConnectionShareOptions): ConnectionShare {
  const { total, longestMs, failures } = options;
  const share = new FairShare({ total, longestMs, monotonic });
  const isTrusted = trustedPeers(options.trustedProxies);
  let open = 0;
  let refused = 0;
  let farewells = 0;

  /** The failure with which the connection is refused; null: it is admitted, and counts until it is closed. */
  function admit(socket: Socket, address: string): ServiceError | null {
    if (open >= total) return tooMany(`All ${total} connections are in use.`, 'overloaded', 1);
    const holder = isTrusted(address) ? null : limitAddress(address);
    const taken = holder === null ? null : share.take(holder);
    if (holder !== null && taken === null) {
      const message = `This IP address has ${counted(share.countOf(holder), 'open connection')}, its share of the ${total} allowed in total: close some.`;
      return tooMany(message, 'address_busy', share.waitMs(holder) / 1000);
    }
    open += 1;
    socket.once('close', () => {
      open -= 1;
      taken?.release();
    });
    return null;
  }

  function refuse(socket: Socket, failure: ServiceError): void {
    refused += 1;
    if (farewells >= MAX_FAREWELLS) return void socket.destroy();
    farewells += 1;
    socket.once('close', () => {
      farewells -= 1;
    });
    failures.send(socket, failure);
  }

  return {
    admits(socket) {
      // Undefined: the connection is already closed.
      const address = socket.remoteAddress;
      const failure = address === undefined ? null : admit(socket, address);
      if (address === undefined) socket.destroy();
      else if (failure) refuse(socket, failure);
      return address !== undefined && failure === null;
    },
    get open() {
      return open;
    },
    get refused() {
      return refused;
    },
  };
}

const tooMany = (message: string, reason: string, seconds: number): ServiceError =>
  new ServiceError('upstream_rate_limited', `${message} Nothing was charged.`, {
    reason,
    retryAfter: Math.max(1, seconds),
  });

const MOST = 10_000;

/** Half of the files that this process may open, since the stores and the network need some too; 10,000 at most. */
export function defaultConnections(limits = readLimits()): number {
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? MOST : Math.max(1, Math.min(MOST, Math.floor(Number(soft) / 2)));
}

/** Linux only; empty elsewhere. */
function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
