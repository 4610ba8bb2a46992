import type { AddressInfo } from 'node:net';
import { readAnswers } from '../contestants/answers.js';
import { bare } from '../contestants/bare.js';
import { fastifyCharging } from '../contestants/fastify.js';
import { mercuriusJit } from '../contestants/mercurius.js';
import { metered } from '../contestants/metered.js';
import { yoga } from '../contestants/yoga.js';
import { createFollowers } from '../load/followers.js';
import { generate } from '../load/generator.js';
import { serveQueries } from './queries.js';

const SERVERS = { metered, bare, fastify: fastifyCharging, yoga, mercurius: mercuriusJit };

export type ServerName = keyof typeof SERVERS;

/** A child process of the benchmark: generates load, queries Postgres, or is a contestant. Ends with its parent. */
export async function beChild(name: string, given: string): Promise<void> {
  process.once('disconnect', () => process.exit());
  // An interrupt reaches the whole process group, but the parent cleans up.
  process.on('SIGINT', () => {});
  if (name === 'load') return workOn(generate);
  if (name === 'followers') return workOn(createFollowers());
  if (name === 'queries') return workOn(serveQueries(JSON.parse(given)));
  const server = await SERVERS[name as ServerName](await readAnswers(given));
  server.listen(0, '127.0.0.1', () => process.send?.({ result: (server.address() as AddressInfo).port }));
}

/** Receives tasks from the parent, and answers each with its result or its error. */
function workOn<Task>(work: (task: Task) => Promise<unknown>): void {
  process.on('message', (task: Task) => {
    work(task).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
    );
  });
}
