/** The examples of a page: found in its blocks and run in its order, with the prices and the answers that it shows. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { TestAccount } from '../../kit/perch.js';
import { type Block, blocksOf, commandsOf, creditsIn } from './markdown.js';
import { differences } from './shown.js';

const ADDRESS = 'http://127.0.0.1:4000';

/** The service that a page's examples run against, and the account that runs them. */
export interface Reader {
  readonly url: string;
  readonly account: TestAccount;
  /** Credits in the wallet. */
  readonly balance: () => Promise<number>;
  /** The variables that the page's `export NAME=…` lines set. */
  readonly variables: Record<string, string>;
}

/** An example, with the price that the page states and the answer that it shows. */
export interface Example {
  readonly name: string;
  readonly run: (reader: Reader) => Promise<unknown>;
  readonly credits: number | undefined;
  readonly shown: unknown;
}

interface Bill {
  readonly credits_charged?: number;
  readonly extensions?: { readonly credits?: { readonly charged: number } };
}

/** The credits that a call cost. A refusal has no bill in GraphQL, and costs nothing. */
function charged(answer: unknown): number | undefined {
  const { credits_charged, extensions } = answer as Bill;
  if (credits_charged !== undefined) return credits_charged;
  return extensions && (extensions.credits?.charged ?? 0);
}

const answerAfter = (blocks: readonly Block[], block: Block): unknown => {
  const next = blocks[blocks.indexOf(block) + 1];
  return next?.language === 'json' ? JSON.parse(next.text) : undefined;
};

async function shell(command: string, { url, account, variables }: Reader): Promise<string> {
  const here = command.replaceAll(ADDRESS, url);
  const env = { ...process.env, ...variables, PERCH_KEY: account.key };
  return (await promisify(execFile)('sh', ['-c', here], { env })).stdout;
}

/** Runs `export NAME=$(curl …)` and keeps the value for the lines below. The cost is what the wallet has lost. */
async function keep(name: string, command: string, reader: Reader): Promise<unknown> {
  const before = await reader.balance();
  reader.variables[name] = await shell(`${command}; printf %s "$${name}"`, reader);
  return { credits_charged: Math.round((before - (await reader.balance())) * 1000) / 1000 };
}

async function graphql(query: string, { url, account }: Reader): Promise<unknown> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': account.key },
    body: JSON.stringify({ query }),
  });
  return response.json();
}

/** A query is run once for each price in bold in the prose above it. */
function queriesOf(blocks: readonly Block[], block: Block): Example[] {
  const prices = [...block.before.matchAll(/\*\*([^*]+ credits?)\*\*/g)].map((match) => creditsIn(match[1] ?? ''));
  return prices.map((credits, index) => ({
    name: `line ${block.line}, run ${index + 1}`,
    run: (reader) => graphql(block.text, reader),
    credits,
    shown: index === 0 ? answerAfter(blocks, block) : undefined,
  }));
}

function callsOf(blocks: readonly Block[], block: Block): Example[] {
  const calls = commandsOf(block).filter(({ command }) => /^(?:export \w+=\$\()?curl /.test(command));
  return calls.map(({ command, comment }, index) => {
    const name = /^export (\w+)=/.exec(command)?.[1];
    return {
      name: `line ${block.line}: ${command.replace(/^curl -s /, '')}`,
      run: async (reader) => (name ? keep(name, command, reader) : JSON.parse(await shell(command, reader))),
      credits: creditsIn(comment),
      shown: index === calls.length - 1 ? answerAfter(blocks, block) : undefined,
    };
  });
}

/** Every query and every call of a page, in its order. */
export function examplesOf(markdown: string): Example[] {
  const blocks = blocksOf(markdown);
  return blocks.flatMap((block) => (block.language === 'graphql' ? queriesOf(blocks, block) : callsOf(blocks, block)));
}

export const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** ` [left out: …]` for the name of a suite that is skipped. */
export const withoutCurl = hasCurl ? '' : ' [left out: no curl on the PATH]';

/** Runs them in order, so that cached objects and the credits left are as shown. A run that fails gives its error as text. */
export async function answersOf(examples: readonly Example[], reader: Reader): Promise<Map<Example, unknown>> {
  const answers = new Map<Example, unknown>();
  for (const example of hasCurl ? examples : []) {
    answers.set(example, await example.run(reader).catch((error: unknown) => String(error)));
  }
  return answers;
}

/** Registers a test for each price and each answer of a page; `answers` is called when they run. */
export function compareExamples(
  examples: readonly Example[],
  answers: () => ReadonlyMap<Example, unknown> | undefined,
): void {
  it.each(examples)('$name costs the stated price', (example) => {
    expect(example.credits).toBeDefined();
    expect({ charged: charged(answers()?.get(example)) }).toEqual({ charged: example.credits });
  });

  const shown = examples.filter((example) => example.shown !== undefined);
  if (shown.length === 0) return;
  it.each(shown)('$name gives the answer that is shown', (example) => {
    expect(differences(example.shown, answers()?.get(example))).toEqual([]);
  });
}
