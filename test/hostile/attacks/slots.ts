import { setTimeout as sleep } from 'node:timers/promises';
import { type Attack, type Beside, flood, graphql, mcpTool, type Stage } from '../support/attack.js';
import type { Answer, Sent } from '../support/client.js';
import { FIRST_TWEET } from '../support/network.js';
import type { Account } from '../support/service.js';

const CACHED = 'person_1';

/** Reads of objects that are not cached, over all three interfaces. */
const cold = (n: number): Sent => {
  const handle = `person_${10_000 + n}`;
  const ways: Sent[] = [
    { path: `/v1/users/${handle}` },
    graphql(`query ($h: String!) { user(handle: $h) { id } }`, { h: handle }),
    mcpTool('get_user', { handle }),
  ];
  return ways[n % 3] ?? { path: `/v1/users/${handle}` };
};

/** Another account searches during the attack; returns how long each search took. */
async function searches(stage: Parameters<Attack['strike']>[0], other: Account, times: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let n = 0; n < times && !stage.signal.aborted; n += 1) {
    answers.push(
      await stage.sendBeside({ path: `/v1/tweets/search?q=other${n}x${other.keyId.slice(0, 8)}`, key: other.key }),
    );
  }
  return answers;
}

/** Waits until searches are answered, because an attack before this one may have closed them for a few seconds. */
async function searchable(stage: Parameters<Attack['strike']>[0]): Promise<void> {
  const account = await stage.service.account();
  while (!stage.signal.aborted) {
    const [answer] = await searches(stage, account, 1);
    if (answer?.status === 200) return;
    await sleep(250);
  }
}

const beside = (what: string, answers: readonly Answer[], withinMs: number): Beside[] =>
  answers.map((answer) => ({ what, answer, withinMs }));

/** The bound for another account's searches while one account has 500 queued. */
const SEARCH_MS = 2000;

const hanging = (): Attack => {
  let others: Answer[] = [];
  return {
    name: '190 cold reads a second of one account while the network hangs',
    over: 'all',
    keyed: true,
    strikeMs: 13_000,
    prepare: async ({ service }) => service.become({ kind: 'hangs' }),
    strike: async (stage) => {
      const flooding = flood(stage, { total: 1300, width: 1300, perSecond: 190 }, (n) => ({
        ...cold(n),
        key: stage.attacker.key,
      }));
      await sleep(6500);
      const other = await stage.service.account();
      const probe = () =>
        Promise.all([
          stage.sendBeside({ path: '/', from: '127.0.0.8' }),
          stage.sendBeside({ path: `/v1/users/${CACHED}`, key: other.key, from: '127.0.0.8' }),
          stage.sendBeside({ path: '/v1/me', key: other.key, from: '127.0.0.8' }),
          stage.sendBeside({ ...mcpTool('get_user', { handle: CACHED }), key: other.key, from: '127.0.0.8' }),
        ]);
      // New connections of a new account: the first request may wait for either.
      await probe();
      others = await probe();
      return flooding;
    },
    // What still waits for the network at the end is cut off. A tool's failure is a result with 200.
    expected: { statuses: [0, 200, 503], message: /\d/, free: false },
    memoryMb: 30,
    beside: () => beside('what needs no network, asked by another account,', others, 1000),
  };
};

const slow = (): Attack => {
  let others: Answer[] = [];
  return {
    name: 'a network slower than its pace, 500 searches of one account queued',
    over: 'REST',
    keyed: true,
    strikeMs: 10_000,
    prepare: async (stage) => {
      await searchable(stage);
      await stage.service.become({ kind: 'slow', perSecond: 20 });
    },
    strike: async (stage) => {
      const flooding = flood(stage, { total: 500, width: 500 }, (n) => ({
        path: `/v1/tweets/search?q=queued${n}`,
        key: stage.attacker.key,
      }));
      await sleep(2500);
      others = await searches(stage, await stage.service.account(), 5);
      return flooding;
    },
    expected: { statuses: [0, 200, 402, 503], message: /\d/, free: false },
    memoryMb: 30,
    beside: () => beside("another account's search", others, SEARCH_MS),
  };
};

const failing = (): Attack => {
  let others: Answer[] = [];
  return {
    name: 'a network that fails for searches only, 200 of them',
    over: 'REST',
    keyed: true,
    prepare: async ({ service }) => service.become({ kind: 'fails', only: 'search' }),
    strike: async (stage) => {
      const answers = await flood(stage, { total: 200, width: 20 }, (n) => ({
        path: `/v1/tweets/search?q=failing${n}`,
        key: stage.attacker.key,
      }));
      const other = await stage.service.account();
      const paths = [
        `/v1/users/person_${90_000}`,
        '/v1/users/90001/followers',
        `/v1/tweets/${FIRST_TWEET + 500_000}/thread`,
      ];
      others = await Promise.all(paths.map((path) => stage.sendBeside({ path, key: other.key })));
      return answers;
    },
    expected: { statuses: [503], free: true },
    memoryMb: 10,
    beside: () => beside('a read of another kind', others, 3000),
  };
};

/** A read before the attack itself, repeated because a busy service may refuse at first. Throws the last refusal. */
async function served(send: Stage['send'], sent: Sent): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const { status, text } = await send(sent);
    if (status === 200) return text;
    if (status !== 503 || tries === 20) throw new Error(`${sent.path} was answered with ${status}: ${text}`);
    await sleep(250);
  }
}

/** More than were once remembered for all accounts together. */
const BATCHES = 1010;

const forgetting = (): Attack => {
  let reader: Account;
  let gone: string;
  return {
    name: `${BATCHES} free batches of 100 ids that nobody has, then a cached page with a deleted tweet`,
    over: 'all',
    keyed: true,
    prepare: async ({ service, send, attacker }) => {
      reader = await service.account();
      // A different subject each time, because a deleted tweet stays deleted.
      const path = `/v1/users/${Number.parseInt(attacker.keyId.slice(0, 4), 16)}/tweets`;
      const { data } = JSON.parse(await served(send, { path, key: reader.key })) as { data: { id: string }[] };
      gone = data[3]?.id ?? '';
      await service.remove(gone);
      await send({ path: `/v1/tweets/${gone}?fresh=true`, key: reader.key });
    },
    strikeMs: 45_000,
    strike: (stage) =>
      flood(stage, { total: BATCHES, width: 40 }, (n) => {
        const ids = Array.from({ length: 100 }, (_, index) => String(5_000_000 + n * 100 + index));
        const ways: Sent[] = [
          { path: '/v1/tweets/batch', body: { ids } },
          graphql('query ($ids: [ID!]!) { tweets(ids: $ids) { nodes { id } } }', { ids }),
          mcpTool('get_tweets', { ids }),
        ];
        return { ...(ways[n % 3] ?? { path: '/' }), key: stage.attacker.key };
      }),
    expected: { statuses: [200, 503], free: true },
    memoryMb: 60,
    faults: async ({ send, attacker }) => {
      const path = `/v1/users/${Number.parseInt(attacker.keyId.slice(0, 4), 16)}/tweets`;
      const answer = await send({ path, key: reader.key });
      if (answer.status !== 200) return [`the cached page was answered with ${answer.status}`];
      return answer.text.includes(`"${gone}"`) ? ['a tweet that the network has deleted is shown again'] : [];
    },
  };
};

/** Everything that takes others' places: at work, in the upstream queue, in memory. */
export const SLOTS: readonly Attack[] = [hanging(), slow(), failing(), forgetting()];
