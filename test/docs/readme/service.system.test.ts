import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { customersOf } from '../../kit/customers.js';
import { demoDatabase } from '../../kit/demo.js';
import { startPerch } from '../../kit/perch.js';
import { CLAIMS, type ClaimContext } from './claims.js';
import { answersOf, compareExamples, type Example, examplesOf, hasCurl, withoutCurl } from './examples.js';
import { blocksOf, onOneLine, README, readPage } from './markdown.js';

const BLOCKS = blocksOf(README);
const EXAMPLES = examplesOf(README);

it('has only blocks of a kind that is tried out', () => {
  const kinds = new Set(BLOCKS.map(({ language }) => language));
  expect([...kinds].sort()).toEqual(['graphql', 'json', 'sh']);
  const answers = BLOCKS.filter(({ language }) => language === 'json');
  expect(EXAMPLES.filter(({ shown }) => shown !== undefined)).toHaveLength(answers.length);
});

describe('the pages and the service', () => {
  let context: ClaimContext;
  let answers: Map<Example, unknown> | undefined;

  // In the order of the page and with the demo's credits, so that cached objects and the credits left are as shown.
  beforeAll(async () => {
    const perch = await startPerch({ openDatabase: demoDatabase });
    const account = await perch.account({ credits: 1000 });
    answers = await answersOf(EXAMPLES, {
      url: perch.url,
      account,
      balance: () => perch.balance(account),
      variables: {},
    });
    const customers = customersOf(perch);
    context = { perch, customers, ada: await customers.customer() };
  });
  afterAll(() => context?.perch.close());

  describe.skipIf(!hasCurl)(`examples${withoutCurl}`, () => {
    compareExamples(EXAMPLES, () => answers);
  });

  describe.each(Object.entries(CLAIMS))('%s makes true claims', (page, claims) => {
    it.each(Object.entries(claims))('%s', async (sentence, shows) => {
      expect(onOneLine(readPage(page))).toContain(sentence);
      await shows(context);
    });
  });
});
