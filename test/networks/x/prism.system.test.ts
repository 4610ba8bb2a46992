import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWithShared, readSharedText } from '../contract/shared.js';
import { DOCUMENTS } from './support/documents.js';
import { everyRequest } from './support/every-request.js';
import { startPrismMock } from './support/prism-mock.js';

describe.each(DOCUMENTS)('requests in the vocabulary of %ss', (vocabulary, file) => {
  describeWithShared('contracts/x-api-v2', `goes through Prism with ${file}`, () => {
    let prism: Awaited<ReturnType<typeof startPrismMock>>;
    beforeAll(async () => {
      prism = await startPrismMock(readSharedText(file));
    });
    afterAll(() => prism?.close());

    /** The status, and what in the request violates the document. The answers are Prism's own and ignored. */
    const send = async (path: string, query: string) => {
      const response = await fetch(`${prism.url}${path}?${query}`, { headers: { authorization: 'Bearer a-token' } });
      await response.arrayBuffer();
      const violations = JSON.parse(response.headers.get('sl-violations') ?? '[]') as { location: string[] }[];
      return [path, response.status, violations.filter(({ location }) => location[0] === 'request')];
    };

    it('have no violation', { timeout: 120_000 }, async () => {
      // Requests that differ only in their subject are one to a document.
      const requests = new Map(
        (await everyRequest(vocabulary)).map((each) => [`${each.path} ${[...each.query.keys()]}`, each]),
      );
      expect(requests.size).toBeGreaterThan(20);
      for (const { path, query } of requests.values()) {
        expect(await send(path, String(query))).toEqual([path, 200, []]);
      }
    });

    it('let Prism reject too small a page and an unknown field', async () => {
      expect(await send('/2/tweets/search/recent', 'query=a&max_results=5')).toMatchObject([
        expect.anything(),
        422,
        [{}],
      ]);
      expect(await send('/2/tweets', `ids=20&${vocabulary}.fields=nope`)).toMatchObject([expect.anything(), 422, [{}]]);
    });
  });
});
