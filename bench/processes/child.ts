import type { AddressInfo } from 'node:net';
import { readAnswers } from '../contestants/answers.js';
import { bare } from '../contestants/bare.js';
import { fastifyJson } from '../contestants/fastify.js';
import { mercuriusJit } from '../contestants/mercurius.js';
import { yoga } from '../contestants/yoga.js';
import { generate } from '../load/generator.js';

const SERVERS = { bare, fastify: fastifyJson, yoga, mercurius: mercuriusJit };

export type ServerName = keyof typeof SERVERS;

/** What a child process of the benchmark does: generate load, or be a contestant. Ends with its parent. */
export async function beChild(name: string, answersFile: string): Promise<void> {
  process.once('disconnect', () => process.exit());
  // An interrupt reaches the whole group; the parent is the one to clean up.
  process.on('SIGINT', () => {});
  if (name === 'load') return generate();
  const server = await SERVERS[name as ServerName](await readAnswers(answersFile));
  server.listen(0, '127.0.0.1', () => process.send?.({ result: (server.address() as AddressInfo).port }));
}
