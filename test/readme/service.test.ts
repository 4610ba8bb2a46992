import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { customersOf } from '../support/customers.js';
import { fillDemo } from '../support/demo.js';
import { startPerch, type TestAccount, type TestPerch } from '../support/perch.js';
import { type Asked, CLAIMS } from './claims.js';
import { type Block, blocksOf, commandsOf, creditsIn, README, TEXT } from './markdown.js';
import { differences } from './shown.js';

const BLOCKS = blocksOf(README);
const ADDRESS = 'http://127.0.0.1:4000';

/** Something the page tells its reader to run, what it says of its price, and what it shows of its answer. */
interface Example {
  readonly name: string;
  readonly run: (perch: TestPerch, account: TestAccount) => Promise<unknown>;
  readonly credits: number | undefined;
  readonly shown: unknown;
}

interface Bill {
  readonly credits_charged?: number;
  readonly extensions?: { readonly credits: { readonly charged: number } };
}

const charged = (answer: unknown): number | undefined => {
  const { credits_charged, extensions } = answer as Bill;
  return credits_charged ?? extensions?.credits.charged;
};

const answerAfter = (block: Block): unknown => {
  const next = BLOCKS[BLOCKS.indexOf(block) + 1];
  return next?.language === 'json' ? JSON.parse(next.text) : undefined;
};

async function shell(command: string, perch: TestPerch, account: TestAccount): Promise<unknown> {
  const here = command.replaceAll(ADDRESS, perch.url);
  const { stdout } = await promisify(execFile)('sh', ['-c', here], { env: { ...process.env, PERCH_KEY: account.key } });
  return JSON.parse(stdout);
}

async function graphql(query: string, perch: TestPerch, account: TestAccount): Promise<unknown> {
  const response = await fetch(`${perch.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': account.key },
    body: JSON.stringify({ query }),
  });
  return response.json();
}

/** A query is run as often as the prose above it names a price in bold. */
function queriesOf(block: Block): Example[] {
  const prices = [...block.before.matchAll(/\*\*([^*]+ credits?)\*\*/g)].map((match) => creditsIn(match[1] ?? ''));
  return prices.map((credits, index) => ({
    name: `line ${block.line}, run ${index + 1}`,
    run: (perch, account) => graphql(block.text, perch, account),
    credits,
    shown: index === 0 ? answerAfter(block) : undefined,
  }));
}

function callsOf(block: Block): Example[] {
  const calls = commandsOf(block).filter(({ command }) => command.startsWith('curl '));
  return calls.map(({ command, comment }, index) => ({
    name: `line ${block.line}: ${command.replace(/^curl -s /, '')}`,
    run: (perch, account) => shell(command, perch, account),
    credits: creditsIn(comment),
    shown: index === calls.length - 1 ? answerAfter(block) : undefined,
  }));
}

const EXAMPLES = BLOCKS.flatMap((block) => (block.language === 'graphql' ? queriesOf(block) : callsOf(block)));
const hasCurl = spawnSync('curl', ['--version']).status === 0;

it('every block is of a kind that is tried out', () => {
  const kinds = new Set(BLOCKS.map(({ language }) => language));
  expect([...kinds].sort()).toEqual(['', 'graphql', 'json', 'sh']);
  const answers = BLOCKS.filter(({ language }) => language === 'json');
  expect(EXAMPLES.filter(({ shown }) => shown !== undefined)).toHaveLength(answers.length);
});

describe('the page and the service', () => {
  let asked: Asked;
  const answers = new Map<Example, unknown>();

  // In the order of the page and with the demo's credits, so that what is held and what is left are as shown.
  beforeAll(async () => {
    const perch = await startPerch({ prepare: fillDemo });
    const account = await perch.account({ credits: 1000 });
    for (const example of hasCurl ? EXAMPLES : []) {
      answers.set(example, await example.run(perch, account).catch((error: unknown) => String(error)));
    }
    const customers = customersOf(perch);
    asked = { perch, customers, ada: await customers.customer() };
  });
  afterAll(() => asked?.perch.close());

  describe.skipIf(!hasCurl)(`examples${hasCurl ? '' : ' [left out: no curl on the PATH]'}`, () => {
    it.each(EXAMPLES)('$name costs what is said', (example) => {
      expect(example.credits).toBeDefined();
      expect({ charged: charged(answers.get(example)) }).toEqual({ charged: example.credits });
    });

    it.each(EXAMPLES.filter(({ shown }) => shown !== undefined))('$name answers what is shown', (example) => {
      expect(differences(example.shown, answers.get(example))).toEqual([]);
    });
  });

  it.each(Object.entries(CLAIMS))('%s', async (sentence, shows) => {
    expect(TEXT).toContain(sentence);
    await shows(asked);
  });
});
