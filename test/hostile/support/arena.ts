import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../../../adapters/postgres/sql.js';
import { cpuSeconds, watchMemory } from '../../../bench/processes/usage.js';
import { type Attack, type Beside, LAST_MS, STRIKE_MS, type Stage } from './attack.js';
import { type Answer, type Client, createClient } from './client.js';
import { type Innocents, type Measurements, openInnocents } from './innocents.js';
import { type Account, type Mount, type Service, startService } from './service.js';

/** The outcome of one attack. */
export interface Trial {
  readonly attack: Attack;
  readonly answers: readonly Answer[];
  readonly innocents: Measurements;
  /** Processor time of the service's process during the attack. */
  readonly cpuSeconds: number;
  /** The most by which its resident memory grew, in MB. */
  readonly peakMb: number;
  /** The memory it kept, in MB, after collecting garbage until that was little enough; NaN if it did not answer. */
  readonly keptMb: number;
  /** How much the attacker's wallet fell, in thousandths of a credit. */
  readonly spent: number;
  /** It answered no request afterwards and had to be killed. */
  readonly hung: boolean;
  readonly beside: readonly Beside[];
  readonly faults: readonly string[];
}

/** A running service, innocents that use it, and room for one attack at a time. */
export interface Arena {
  readonly service: Service;
  /** `exact` measures what is really kept; otherwise measuring stops once that is within the attack's bound. */
  try(attack: Attack, options?: { readonly exact?: boolean }): Promise<Trial>;
  close(): Promise<void>;
}

const PROFILE = 'person_1';
/** How long innocents measure before and after the attack, with twenty requests a second. */
const AROUND_MS = 200;
/** A service that does not answer for this long counts as hung; one that sheds load is also waited for no longer. */
const COMES_BACK_MS = 10_000;
const PREPARE_MS = 60_000;
/** How often the customer reads before a new process is attacked, and before one that has answered others. */
const [NEW_ROUNDS, KNOWN_ROUNDS] = [20, 3];

export async function openArena(database: { sql: Sql; url: string }, mount: Mount): Promise<Arena> {
  const service = await startService(database, mount);
  const innocents = await openInnocents();
  const customer = await service.account({ credits: 1_000_000 });
  await warm(service, customer, NEW_ROUNDS);
  let attacks = 0;
  return {
    service,
    try(attack, { exact = false } = {}) {
      attacks += 1;
      // Each attack has an address of its own, so that its rate does not count for the next one.
      const from = `127.0.${1 + Math.floor(attacks / 250)}.${1 + (attacks % 250)}`;
      return tryAttack({ service, innocents, customer, from, exact }, attack);
    },
    async close() {
      await Promise.all([service.close(), innocents.close()]);
    },
  };
}

interface Ring {
  readonly service: Service;
  readonly innocents: Innocents;
  readonly customer: Account;
  readonly from: string;
  readonly exact: boolean;
}

/** Caches the customer's profile for both ways of reading it, and runs the code that answers. */
async function warm(service: Service, { key }: Account, rounds: number): Promise<void> {
  const client = createClient(() => service.url, AbortSignal.timeout(STRIKE_MS));
  const query = `{ user(handle: "${PROFILE}") { id handle name bio } }`;
  for (let round = 0; round < rounds; round += 1) {
    await client.send({ path: `/v1/users/${PROFILE}`, key });
    await client.send({ path: '/graphql', key, body: { query } });
    await client.send({ path: '/healthz', from: `127.0.0.${10 + round}` });
  }
  client.close();
}

async function tryAttack({ service, innocents, customer, from, exact }: Ring, attack: Attack): Promise<Trial> {
  const attacker = await service.account();
  const calm = createClient(() => service.url, AbortSignal.timeout(PREPARE_MS));
  const before: Stage = {
    service,
    attacker,
    from,
    signal: AbortSignal.timeout(PREPARE_MS),
    lastAtMs: Number.POSITIVE_INFINITY,
    send: calmly(calm, from),
    sendBeside: calmly(calm, from),
  };
  await attack.prepare?.(before);
  const [kept, cpu, balance] = await Promise.all([
    service.keptMb(),
    cpuSeconds(service.pid),
    service.balance(attacker),
  ]);
  const memory = watchMemory(service.pid, 100);
  innocents.start({ url: service.url, key: customer.key, handle: PROFILE });
  await sleep(AROUND_MS);
  const answers = await strike(before, attack);
  await sleep(AROUND_MS);
  const measured = await innocents.stop();
  const seenMb = memory.stop();
  const cpuUsed = (await cpuSeconds(service.pid)) - cpu;
  await attack.restore?.(before);
  await service.become({ kind: 'well' });
  const hung = !(await comesBack(service, customer));
  const keptMb = (await service.keptMb(exact ? 0 : kept + attack.memoryMb)) - kept;
  const spent = balance - (await service.balance(attacker));
  const faults = hung ? [] : ((await attack.faults?.(before, answers)) ?? []);
  calm.close();
  if (hung) await service.restart();
  await warm(service, customer, hung ? NEW_ROUNDS : KNOWN_ROUNDS);
  const peakMb = Math.max(0, ...seenMb) - (seenMb[0] ?? 0);
  const beside = attack.beside?.() ?? [];
  return { attack, answers, innocents: measured, cpuSeconds: cpuUsed, peakMb, keptMb, spent, hung, beside, faults };
}

const calmly =
  ({ send }: Client, from: string): Stage['send'] =>
  (sent) =>
    send({ from, ...sent });

/** Runs the attack, and cuts it off when its time is over. */
async function strike(stage: Stage, attack: Attack): Promise<readonly Answer[]> {
  const strikeMs = attack.strikeMs ?? STRIKE_MS;
  const signal = AbortSignal.timeout(strikeMs);
  // Every request listens to it.
  setMaxListeners(0, signal);
  const lastAtMs = performance.now() + strikeMs - LAST_MS;
  const client = createClient(() => stage.service.url, signal);
  try {
    return await attack.strike({ ...stage, signal, lastAtMs, send: calmly(client, stage.from) });
  } finally {
    client.close();
  }
}

/** Waits until the customer is served again, so that one attack does not affect the next. */
async function comesBack(service: Service, { key }: Account): Promise<boolean> {
  const client = createClient(() => service.url, AbortSignal.timeout(COMES_BACK_MS));
  const deadline = performance.now() + COMES_BACK_MS;
  let answered = false;
  for (let served = 0; served < 5 && performance.now() < deadline; ) {
    const { status } = await client.send({ path: `/v1/users/${PROFILE}`, key, from: '127.0.0.9' });
    answered ||= status !== 0;
    served = status === 200 ? served + 1 : 0;
    if (status !== 200) await sleep(50);
  }
  client.close();
  return answered;
}
