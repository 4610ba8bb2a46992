import { auditServer } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { MOUNTS } from './service.js';

describe.each(MOUNTS)('the GraphQL-over-HTTP audit against the running server (G1, G6, U49) (%s)', (graphql) => {
  let perch: TestPerch;
  beforeAll(async () => {
    perch = await startPerch({ network: createScriptedNetwork().network, graphql });
  });
  afterAll(() => perch.close());

  it('finds nothing, not even among its recommendations', async () => {
    // Without a key, it would hit the limit of ten requests a second for one address.
    const { key } = await perch.account();
    const withKey: typeof fetch = (url, init = {}) => {
      const headers = new Headers(init.headers);
      headers.set('x-api-key', key);
      return fetch(url, { ...init, headers });
    };
    const results = await auditServer({ url: `${perch.url}/graphql`, fetchFn: withKey });
    const found = results.flatMap((result) =>
      result.status === 'ok' ? [] : [`${result.id} ${result.name}: ${result.reason}`],
    );
    expect(found).toEqual([]);
    expect(results.length).toBeGreaterThanOrEqual(61);
  });
});
