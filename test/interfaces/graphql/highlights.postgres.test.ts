import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { fillSmallCorpus } from '../v1/small-corpus.js';
import { at, type GraphqlReply, post } from './client.js';
import { MOUNTS } from './service.js';

interface Edge {
  readonly node: { readonly id: string; readonly text: string; readonly handle: string };
  readonly highlights: readonly { readonly field: string; readonly start: number; readonly end: number }[];
}

const edgeOf = (reply: GraphqlReply): Edge => at(reply, 'search', 'edges', 0) as Edge;

describe.each(MOUNTS)('highlights of a search (%s)', (mount) => {
  let perch: TestPerch;
  beforeAll(async () => {
    perch = await startPerch({ graphql: mount, prepare: ({ sql }) => fillSmallCorpus(sql) });
  });
  afterAll(() => perch.close());

  it('say where the query was found, free, next to the same results as nodes', async () => {
    const account = await perch.account({ credits: 10 });
    const reply = await post(perch, account, {
      query: `{ search(q: "\\"the gangway moves\\"") {
        nodes { ... on Tweet { id } }
        edges { node { ... on Tweet { id text } } highlights { field start end } }
      } }`,
    });
    const { node, highlights } = edgeOf(reply);
    expect(at(reply, 'search', 'nodes')).toEqual([{ id: node.id }]);
    expect(
      highlights.map(({ field, start, end }) => [field, [...node.text].slice(start, end).join('').toLowerCase()]),
    ).toEqual([['text', 'the gangway moves']]);
    expect(reply.body.extensions.credits.charged).toBe(1);
  });

  it('mark profiles in handle, name and bio', async () => {
    const account = await perch.account({ credits: 10 });
    const reply = await post(perch, account, {
      query:
        '{ search(q: "lonel", product: People) { edges { node { ... on User { handle } } highlights { field start end } } } }',
    });
    const { node, highlights } = edgeOf(reply);
    expect(node.handle).toBe('lonely_light');
    expect(highlights).toContainEqual({ field: 'handle', start: 0, end: 5 });
  });

  it('cost the same below edges as below nodes', async () => {
    const account = await perch.account({ credits: 10 });
    const below = '{ ... on Tweet { inReplyTo { id } replies(first: 3) { nodes { id } } } }';
    const estimate = async (fields: string): Promise<unknown> => {
      const query = `{ search(q: "sails", first: 2) { ${fields} } }`;
      return (await post(perch, account, { query, extensions: { dryRun: true } })).body.extensions.estimate;
    };
    expect(await estimate(`edges { node ${below} }`)).toEqual({ max_items: 10, max_credits: 10 });
    expect(await estimate(`nodes ${below}`)).toEqual({ max_items: 10, max_credits: 10 });
  });
});
