import { describe, expect, it } from 'vitest';
import { context, post, scripting } from './support/scripted.js';

const scripted = scripting();
const EMPTY = { body: { meta: { result_count: 0 } } };

describe('reads that a configuration allows', () => {
  it('are reported for each token, and for each kind that X may refuse', async () => {
    const at = await scripted(({ path, headers }) => {
      if (headers.authorization === 'Bearer one') return { status: 401, body: { title: 'Unauthorized' } };
      if (path === '/2/users/12/followers') {
        return {
          status: 403,
          body: { type: 'https://api.x.com/2/problems/client-forbidden', reason: 'client-not-enrolled' },
        };
      }
      if (path === '/2/users/search') return { status: 403, body: { title: 'Unsupported Authentication' } };
      return path === '/2/tweets' ? { body: { data: [post('20')] } } : EMPTY;
    });
    const report = await at.network.selfCheck?.(context());
    expect(report?.ok).toBe(true);
    expect(report?.findings.map(({ ok }) => ok)).toEqual([false, true, false, true, false]);
    const said = report?.findings.map(({ what }) => what).join('\n');
    for (const part of ['token 1', 'token 2', 'followers', 'seven days', 'X_SEARCH=archive', 'People']) {
      expect(said).toContain(part);
    }
  });

  it('are reported without any text of X', async () => {
    const message = 'written by X';
    const body = { title: message, detail: message, errors: [{ message, parameters: { query: ['a'] } }] };
    const at = await scripted(({ path }) =>
      path === '/2/tweets' ? { body: { data: [post('20')] } } : { status: 400, body },
    );
    const report = await at.network.selfCheck?.(context());
    expect(report?.findings.map(({ ok }) => ok)).toEqual([true, true, false, false, false]);
    expect(JSON.stringify(report)).not.toContain(message);
  });

  it('suggest the other vocabulary if the requested fields are missing', async () => {
    const at = await scripted(() => ({ body: { data: [{ id: '20', text: 'just setting up' }] } }));
    const report = await at.network.selfCheck?.(context());
    expect(report).toMatchObject({ ok: false, findings: [{ what: expect.stringContaining('X_VOCABULARY=post') }, {}] });
  });
});
