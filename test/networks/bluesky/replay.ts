import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBlueskyNetwork } from '../../../adapters/networks/bluesky/network.js';
import { listShared, readShared } from '../contract/shared.js';
import { USER_AGENT } from './stand-in.js';

/** A call made to a real AppView, with its answer. */
export interface Captured {
  readonly name: string;
  readonly method: string;
  readonly query: URLSearchParams;
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies as they came.
  readonly body: any;
}

export const FOLDER = 'contracts/atproto/captured';

export function readCaptured(name: string): Captured {
  const { request, status, body } = readShared(`${FOLDER}/${name}`) as {
    request: string;
    status: number;
    body: unknown;
  };
  const [method = '', query] = request.split('?');
  return { name: name.replace('.json', ''), method, query: new URLSearchParams(query), status, body };
}

export const allCaptured = (): Captured[] => listShared(FOLDER).map(readCaptured);

interface Profile {
  readonly did: string;
  readonly handle: string;
}

/** Every person who occurs anywhere, in the fullest form seen. */
function peopleIn(all: readonly Captured[]): Map<string, Profile> {
  const people = new Map<string, Profile>();
  const note = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('did' in value && 'handle' in value) {
      const seen = people.get(String(value.did)) ?? { followersCount: 1, followsCount: 2, postsCount: 3 };
      people.set(String(value.did), { ...seen, ...(value as unknown as Profile) });
    }
    for (const inner of Object.values(value)) note(inner);
  };
  for (const { body } of all) note(body);
  return people;
}

/** A server that gives one captured answer to its method, whatever the arguments, and a profile for any account. */
export async function openReplay(all: readonly Captured[]) {
  const people = peopleIn(all);
  let playing: Captured | undefined;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const actors = url.searchParams.getAll('actors');
    const profiles = [...people.values()].filter(({ did, handle }) => actors.includes(did) || actors.includes(handle));
    const isPlayed = playing && (url.pathname === `/xrpc/${playing.method}` || playing.status === 501);
    const { status, body } = isPlayed && playing ? playing : { status: 200, body: { profiles } };
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = { now: () => Date.now() };
  const network = createBlueskyNetwork({ baseUrl, directoryUrl: baseUrl, userAgent: USER_AGENT, clock });
  return {
    network,
    didOf: (actor: string): string =>
      [...people.values()].find(({ did, handle }) => did === actor || handle === actor)?.did ??
      (actor.startsWith('did:') ? actor : 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'),
    play(captured: Captured) {
      playing = captured;
    },
    async close() {
      await network.close?.();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
