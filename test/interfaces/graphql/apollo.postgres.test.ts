/**
 * Apollo Client with the manifest of persisted operations and its default cache: what was paid for can be read from the
 * cache.
 */

import { createHash } from 'node:crypto';
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { Kind, parse, visit } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readOperations } from '../../../schema/operations.js';
import { createScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { manualClock } from '../../kit/time/manual-clock.js';
import { fill, ROWS } from '../../rules/support/rows.js';
import { post } from './client.js';
import PUBLISHED_BEFORE from './published-hashes.json' with { type: 'json' };

interface Entry {
  readonly id: string;
  readonly name: string;
  readonly body: string;
}

let perch: TestPerch;
let manifest: readonly Entry[];
beforeAll(async () => {
  const net = createScriptedNetwork();
  fill(net);
  perch = await startPerch({ clock: manualClock(), network: net.network });
  const response = await fetch(`${perch.url}/graphql/operations.json`);
  manifest = ((await response.json()) as { operations: Entry[] }).operations;
});
afterAll(() => perch.close());

/** A client that sends only hashes, which it finds in the manifest by the operation's name. */
function apollo(key: string): ApolloClient {
  const persisted = new PersistedQueryLink({
    generateHash: ({ definitions: [first] }) => {
      const name = first?.kind === Kind.OPERATION_DEFINITION ? first.name?.value : undefined;
      return manifest.find((entry) => entry.name === name)?.id ?? 'unknown';
    },
    disable: () => false,
    retry: () => false,
  });
  const http = new HttpLink({ uri: `${perch.url}/graphql`, headers: { 'x-api-key': key } });
  return new ApolloClient({ cache: new InMemoryCache(), link: ApolloLink.from([persisted, http]) });
}

const withoutTypenames = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, member) => (name === '__typename' ? undefined : member)));

/** One read of each operation, chosen so that it finds something. */
const READS = Object.keys(readOperations())
  // Without those for which this account has nothing to ask: purchases, watches, receipts.
  .filter((name) => !/^(?:checkout|receipt|me|watch|watch-.*)$/.test(name))
  .map((name) => [name, ROWS.find(({ operation }) => operation === name)?.variables ?? {}] as const);

it.each(READS)(
  'reads all of %s from the cache of Apollo Client when it is run by its hash',
  async (name, variables) => {
    const { key } = await perch.account();
    const text = readOperations()[name] ?? '';
    const plain = () => post(perch, { key }, { query: text, variables });
    // The read itself, then the same from the cache.
    await plain();
    const { body } = await plain();
    const client = apollo(key);
    // Clients have the published text, or a copy of the fields of their own.
    for (const document of [manifest.find((entry) => entry.name === name)?.body ?? '', text]) {
      const query = parse(document);
      const { data } = await client.query({ query, variables, fetchPolicy: 'network-only' });
      expect(withoutTypenames(data)).toEqual(body.data);
      expect(withoutTypenames(client.readQuery({ query, variables }))).toEqual(body.data);
    }
  },
);

it('publishes documents with __typename in every selection set, under hashes of their texts', () => {
  for (const { id, body } of manifest) {
    expect(id).toBe(createHash('sha256').update(body).digest('hex'));
    visit(parse(body), {
      SelectionSet({ selections }) {
        expect(selections).toContainEqual(
          expect.objectContaining({ name: expect.objectContaining({ value: '__typename' }) }),
        );
      },
    });
  }
});

it('keeps an answer to a published document like one to any other paid read', async () => {
  const account = await perch.account();
  const { id } = manifest.find(({ name }) => name === 'tweet') ?? {};
  const extensions = { persistedQuery: { version: 1, sha256Hash: id } };
  const send = async () => (await post(perch, account, { extensions, variables: { id: '120' } })).body;
  await send();
  const [cached, kept] = [await send(), await send()];
  expect(kept).toEqual({
    ...cached,
    extensions: {
      ...kept.extensions,
      credits: { ...cached.extensions.credits, remaining: kept.extensions.credits.remaining },
    },
  });
  expect(kept.extensions.credits).toMatchObject({ charged: 0.5, cache: 'hit' });
});

it.each(Object.entries(PUBLISHED_BEFORE))(
  'answers the hash of %s that was published before, without __typename',
  async (name, sha256Hash) => {
    const account = await perch.account();
    const { variables = {} } = ROWS.find(({ operation }) => operation === name) ?? {};
    const { body } = await post(perch, account, {
      extensions: { persistedQuery: { version: 1, sha256Hash } },
      variables,
    });
    expect(JSON.stringify(body)).not.toMatch(/PersistedQueryNot|__typename/);
  },
);
