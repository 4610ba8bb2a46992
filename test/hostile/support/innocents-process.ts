/**
 * Innocents, in a process of their own that the attack does not slow down: what they request, and how long they wait.
 */
import { Agent, request } from 'node:http';
import { Worker } from 'node:worker_threads';
import type { Measurements, Piece, Sample, Watch } from './innocents.js';

const EVERY_MS = 50;
/** The most of each kind at a time, because a client without answers stops sending. */
const AT_A_TIME = 4;
const GIVE_UP_MS = 20_000;
/**
 * The addresses of innocents: several, since a probe may be called ten times a second from one, and is called twenty
 * times.
 */
const ADDRESSES = [2, 3, 4, 5, 6, 7, 8, 9].map((last) => `127.0.0.${last}`);

/**
 * On a thread of its own: a server that does nothing, whose delays are those of the machine and this process; and every
 * now and then a fixed piece of work, which takes longer as others use the machine.
 */
const CONTROL = `
  const { createServer } = require('node:http');
  const { parentPort } = require('node:worker_threads');
  function work() {
    let sum = 0;
    for (let n = 0; n < 4e6; n += 1) sum = (sum * 31 + n) | 0;
    return sum;
  }
  for (let n = 0; n < 20; n += 1) work();
  let works = true;
  parentPort.on('message', (message) => { works = message; });
  setInterval(() => {
    if (!works) return;
    const atMs = performance.timeOrigin + performance.now();
    work();
    parentPort.postMessage({ atMs, ms: performance.timeOrigin + performance.now() - atMs });
  }, 150);
  const server = createServer((_, response) => response.end('ok'));
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;

const nowMs = (): number => performance.timeOrigin + performance.now();

const agents = ADDRESSES.map((localAddress) => new Agent({ keepAlive: true, maxSockets: 16, localAddress }));

interface Question {
  readonly url: string;
  readonly key?: string;
  readonly body?: string;
}

function send({ url, key, body }: Question, agent: Agent | undefined): Promise<Sample> {
  const atMs = nowMs();
  const headers = {
    ...(key !== undefined && { 'x-api-key': key }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  return new Promise((resolve) => {
    const finish = (status: number): void => resolve({ atMs, ms: nowMs() - atMs, status });
    const sent = request(url, { agent, headers, method: body === undefined ? 'GET' : 'POST', timeout: GIVE_UP_MS });
    sent.on('response', (response) => {
      response.resume();
      response.on('end', () => finish(response.statusCode ?? 0));
      response.on('error', () => finish(0));
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => finish(0));
    sent.end(body);
  });
}

/** Sends requests until told to stop; those without an answer by then have waited until then. */
function watch(question: Question): () => Sample[] {
  const [samples, open] = [[] as Sample[], new Set<number>()];
  let turn = 0;
  const timer = setInterval(() => {
    if (open.size >= AT_A_TIME) return;
    const atMs = nowMs();
    open.add(atMs);
    turn += 1;
    void send(question, agents[turn % agents.length]).then((sample) => {
      open.delete(atMs);
      samples.push(sample);
    });
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    return [...samples, ...[...open].map((atMs) => ({ atMs, ms: nowMs() - atMs, status: null }))];
  };
}

let work: Piece[] = [];
/** The fastest run of the piece of work, with a core to itself. */
let quickestMs = Number.POSITIVE_INFINITY;

const controller = new Worker(CONTROL, { eval: true });
const controlPort = await new Promise<number>((resolve) => {
  controller.on('message', (message: number | Piece) => {
    if (typeof message === 'number') return resolve(message);
    work.push(message);
    quickestMs = Math.min(quickestMs, message.ms);
  });
});

let stop: (() => Measurements) | null = null;

function begin({ url, key, handle }: Watch): () => Measurements {
  const body = JSON.stringify({ query: `{ user(handle: "${handle}") { id handle name bio } }` });
  work = [];
  controller.postMessage(true);
  const control = watch({ url: `http://127.0.0.1:${controlPort}/` });
  const healthz = watch({ url: `${url}/healthz` });
  const rest = watch({ url: `${url}/v1/users/${handle}`, key });
  const graphql = watch({ url: `${url}/graphql`, key, body });
  return () => ({ control: control(), healthz: healthz(), rest: rest(), graphql: graphql(), work, quickestMs });
}

process.on('disconnect', () => process.exit());
process.on('message', (message: Watch | 'stop') => {
  if (message !== 'stop') {
    stop = begin(message);
    return;
  }
  process.send?.(stop?.());
  controller.postMessage(false);
});
process.send?.('ready');
