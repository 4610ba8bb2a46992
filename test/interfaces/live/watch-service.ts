import { GuardedWebhooks } from '../../../adapters/client-documents/webhooks.js';
import { type Customers, customersOf } from '../../kit/customers.js';
import { createScriptedNetwork, range, type ScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';

/** What a webhook received. */
export interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WatchService extends Customers {
  readonly perch: TestPerch;
  readonly net: ScriptedNetwork;
  /** Everything sent, in order. */
  readonly sent: readonly Sent[];
  /** The real time, or that at which it was stopped, plus this many milliseconds. */
  readonly clock: { shiftMs: number; stoppedAt: number | null };
  /** The status that receivers answer from now on. */
  status: number;
  /** Adds a tweet to the followed lists and returns its id. */
  post(text: string): string;
  close(): Promise<void>;
}

/** Names with a private address, as a name server would answer. */
const PRIVATE = /\.internal$/;

/**
 * A Perch over growing lists: the timeline of `user7`, the replies to and quotes of tweet 20, and searches for `bread`.
 * Addresses of webhooks are checked as always, and nothing is sent to them.
 */
export async function startWatchService(): Promise<WatchService> {
  const net = createScriptedNetwork();
  const shown: string[] = [];
  let last = 100;
  const post = (text: string): string => {
    last += 1;
    const { id } = net.tweet({ id: String(last), authorId: '7', text, createdAt: new Date().toISOString() });
    shown.unshift(id);
    net.list('timeline', '7', shown);
    net.list('replies', '20', shown);
    net.list('quotes', '20', shown);
    for (const product of ['Latest', 'Photos', 'Videos'] as const) net.list('search', 'bread', shown, { product });
    return id;
  };
  net.users(range(9));
  net.tweets([20]);
  for (const id of range(5)) net.list('timeline', String(id), []);
  post('the first');
  const resolve = async (host: string) => [
    { address: PRIVATE.test(host) ? '10.0.0.7' : '93.184.215.14', family: 4 as const },
  ];
  const guarded = new GuardedWebhooks({ userAgent: 'test', allow: { resolve } });
  const sent: Sent[] = [];
  const state = { status: 204 };
  const clock = {
    shiftMs: 0,
    stoppedAt: null as number | null,
    now: () => (clock.stoppedAt ?? Date.now()) + clock.shiftMs,
  };
  const perch = await startPerch({
    clock,
    network: net.network,
    webhooks: {
      check: (url, accountId) => guarded.check(url, accountId),
      async send(url, headers, body) {
        sent.push({ url, headers, body });
        return { status: state.status, excerpt: 'received', fault: null };
      },
    },
  });
  const { close } = perch;
  return Object.assign(state, { ...customersOf(perch), perch, net, clock, sent, post, close });
}
