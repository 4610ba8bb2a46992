import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIST_READS, type ListRead } from '../../../src/domain/lists.js';
import { createScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { fill } from '../../rules/support/rows.js';
import { at, failures, post } from './client.js';
import { MOUNTS } from './service.js';

/** What Relay and Apollo's relayStylePagination read from a page. */
interface Connection {
  readonly nodes: readonly unknown[];
  readonly edges: readonly { readonly cursor: string; readonly node: unknown }[];
  readonly pageInfo: {
    readonly startCursor: string | null;
    readonly endCursor: string | null;
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
  };
}

const SUBJECTS = { user: 'user: "1"', tweet: 'id: "120"', query: 'q: "bread"' };

function pageQuery({ query, list, idsOnly }: ListRead, after?: string): string {
  const item = idsOnly ? '' : list.products ? '{ ... on User { id } ... on Tweet { id } }' : '{ id }';
  const cursor = after === undefined ? '' : `, after: ${JSON.stringify(after)}`;
  return `{ page: ${query.name}(${SUBJECTS[list.subject]}, first: 3${cursor}) {
    nodes ${item} edges { cursor node ${item} }
    pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
  } }`;
}

describe.each(MOUNTS)('edges and nodes (%s)', (mount) => {
  let perch: TestPerch;
  beforeAll(async () => {
    const net = createScriptedNetwork();
    fill(net);
    perch = await startPerch({ graphql: mount, network: net.network });
  });
  afterAll(() => perch.close());

  it.each(LIST_READS.map((read) => [read.query.name, read] as const))(
    'continues %s after any of its edges, at the price of its nodes alone',
    async (_name, read) => {
      const account = await perch.account({ credits: 100 });
      const fetchPage = async (after?: string) => {
        const reply = await post(perch, account, pageQuery(read, after));
        return { page: at(reply, 'page') as Connection, charged: reply.body.extensions.credits.charged };
      };
      await fetchPage();
      const { page, charged } = await fetchPage();
      expect(page.edges.map(({ node }) => node)).toEqual(page.nodes);
      expect(page.pageInfo).toMatchObject({ startCursor: page.edges[0]?.cursor, hasPreviousPage: false });
      const plain = await post(perch, account, pageQuery(read).replace(/ edges \{.*\}/, ''));
      expect(charged).toBe(plain.body.extensions.credits.charged);

      const { page: rest } = await fetchPage(page.edges[0]?.cursor);
      expect(rest.nodes.slice(0, 2)).toEqual(page.nodes.slice(1));
      expect(rest.pageInfo.hasPreviousPage).toBe(true);
      if (!page.pageInfo.hasNextPage) return;
      const [{ page: byEdge }, { page: byEnd }] = [
        await fetchPage(page.edges.at(-1)?.cursor),
        await fetchPage(page.pageInfo.endCursor ?? ''),
      ];
      expect(byEdge.nodes).toEqual(byEnd.nodes);
    },
  );

  it('has no start cursor on an empty page', async () => {
    const reply = await post(
      perch,
      await perch.account(),
      '{ search(q: "nothing") { edges { cursor } pageInfo { startCursor endCursor hasPreviousPage } } }',
    );
    expect(reply.body.data).toEqual({
      search: { edges: [], pageInfo: { startCursor: null, endCursor: null, hasPreviousPage: false } },
    });
  });

  it('reads a user and a tweet again by their global ids, at their own prices', async () => {
    const account = await perch.account({ credits: 10 });
    const first = await post(perch, account, '{ user(id: "1") { id nodeId } tweet(id: "120") { id nodeId } }');
    expect(first.body.data).toEqual({
      user: { id: '1', nodeId: 'User:1' },
      tweet: { id: '120', nodeId: 'Tweet:120' },
    });
    const again = await post(
      perch,
      account,
      `{ a: node(nodeId: "User:1") { __typename nodeId ... on User { handle } }
         b: node(nodeId: "Tweet:120") { __typename nodeId ... on Tweet { id replies(first: 2) { nodes { id } } } } }`,
    );
    expect(again.body.data).toMatchObject({
      a: { __typename: 'User', nodeId: 'User:1', handle: 'User1' },
      b: { __typename: 'Tweet', nodeId: 'Tweet:120', id: '120' },
    });
    const { breakdown } = again.body.extensions.credits;
    expect(breakdown.filter(({ path }) => path !== 'b.replies')).toEqual([
      expect.objectContaining({ path: 'a', unit: 0.5, charged: 0.5 }),
      expect.objectContaining({ path: 'b', unit: 0.5, charged: 0.5 }),
    ]);
  });

  it.each(['1', 'User:', 'user:1', 'User:x', 'Page:1', 'User:1:2'])(
    'finds nothing under the global id %s, free, even with an empty wallet',
    async (nodeId) => {
      const request = { query: 'query ($nodeId: ID!) { node(nodeId: $nodeId) { nodeId } }', variables: { nodeId } };
      for (const credits of [10, 0]) {
        const reply = await post(perch, await perch.account({ credits }), request);
        expect(failures(reply)).toEqual({ node: 'not_found' });
        expect(reply.body.extensions.credits.charged).toBe(0);
      }
    },
  );

  it('finds nothing under the global id of a missing object', async () => {
    const reply = await post(perch, await perch.account(), '{ node(nodeId: "Tweet:404404") { nodeId } }');
    expect(reply.body.data).toEqual({ node: null });
    expect(failures(reply)).toEqual({ node: 'not_found' });
  });
});
