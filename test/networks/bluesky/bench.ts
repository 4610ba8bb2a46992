import { afterEach } from 'vitest';
import type { ListKind } from '../../../src/domain/lists.js';
import type { NetworkPage, ReadContext } from '../../../src/ports/network.js';
import { didAt, type FakeAnswers, openFake } from './fake.js';

export const CONTEXT = (): ReadContext => ({ signal: AbortSignal.timeout(20_000) });

/** A label that opts its account out of being shown. */
export const HIDDEN = { labels: [{ src: 'did:web:a.test', uri: 'at://x', val: '!no-unauthenticated', cts: '' }] };
export const ADA = didAt(1);
export const BEN = didAt(2);
export const CLEO = didAt(3);

type Fake = Awaited<ReturnType<typeof openFake>>;

/** One fake upstream at a time, closed after each test. */
export function bench() {
  let at: Fake | undefined;
  afterEach(() => at?.close());
  const opened = (): Fake => {
    if (at === undefined) throw new Error('Nothing is open.');
    return at;
  };
  return {
    async open(answers: FakeAnswers): Promise<void> {
      await at?.close();
      at = await openFake(answers);
    },
    get network() {
      return opened().network;
    },
    get calls() {
      return opened().calls;
    },
    page: (kind: ListKind, subject: string, token: string | null = null, context = CONTEXT()): Promise<NetworkPage> =>
      opened().network.page({ kind, subject }, token, context),
    callsOf: (method: string) => opened().calls.filter((call) => call.method.endsWith(method)),
  };
}
