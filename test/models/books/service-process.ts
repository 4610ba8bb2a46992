/**
 * The whole service in a process of its own, which can be killed at any moment. A pipe supplies its clock and network.
 */
import { pino } from 'pino';
import { GuardedWebhooks } from '../../../adapters/client-documents/webhooks.js';
import type { Target } from '../../../adapters/postgres/sql.js';
import { compose } from '../../../app/compose.js';
import { Lifecycle } from '../../../app/lifecycle.js';
import { openStores } from '../../../app/stores.js';
import { readConfig } from '../../../src/config/config.js';
import type { Mount } from '../../interfaces/graphql/service.js';
import { type Question, type Reply, worldNetwork } from './network.js';

export interface Opening {
  readonly mount: Mount;
  readonly database: Target;
  readonly settings: Readonly<Record<string, string>>;
  readonly nowMs: number;
}

export type Message =
  | { readonly open: Opening }
  | { readonly nowMs: number }
  | { readonly answer: number; readonly reply: Reply };

export type Said =
  | { readonly said: 'loaded' | 'time is set' }
  | { readonly said: 'listening'; readonly url: string }
  | { readonly said: 'question'; readonly id: number; readonly question: Question };

const say = (said: Said): void => void process.send?.(said);

let nowMs = 0;
const waiting: ((reply: Reply) => void)[] = [];

const network = worldNetwork(
  (question) => new Promise((answered) => say({ said: 'question', id: waiting.push(answered) - 1, question })),
);

async function open({ mount: graphql, database, settings, nowMs: startMs }: Opening): Promise<void> {
  nowMs = startMs;
  const config = readConfig({ env: settings, cwd: process.cwd(), terminal: false });
  const lifecycle = new Lifecycle();
  const stores = await openStores(lifecycle, config, { database });
  const log = pino({ level: settings.LOG_LEVEL ?? 'fatal' });
  const clock = { now: () => nowMs };
  // Webhooks go to this machine.
  const webhooks = new GuardedWebhooks({ userAgent: 'model', loopback: true });
  // The model does not refuse calls because the machine is busy.
  const capacity = { maxLoopDelayMs: 0 };
  const { url } = await compose(lifecycle, config, stores, { log, clock, network, graphql, webhooks, capacity });
  say({ said: 'listening', url });
}

process.on('disconnect', () => process.exit());
process.on('message', (message: Message) => {
  if ('open' in message) return void open(message.open);
  if ('answer' in message) return waiting[message.answer]?.(message.reply);
  nowMs = message.nowMs;
  say({ said: 'time is set' });
});
say({ said: 'loaded' });
