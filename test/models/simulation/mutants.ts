/** Faults put into the real code, one at a time, which the simulation must find. */

export interface Mutant {
  readonly name: string;
  /** The invariant that it breaks. */
  readonly breaks: string;
  /** The file, and a text that occurs in it once. */
  readonly file: string;
  readonly text: string;
  readonly instead: string;
  /** It is found within this many seeds, starting with this one. */
  readonly from: number;
  readonly within: number;
}

export const MUTANTS = {
  chargedTwice: {
    name: 'a charge posted twice',
    breaks: 'only calls are charged',
    file: 'src/metering/settle.ts',
    text: '=> ledger.post({ ...debit, operation: name }, at.signal);',
    // With an id of its own, because the ledger posts the same id only once.
    instead: `=> {
      ledger.post({ ...debit, requestId: requestId.replace('-8000-', '-8001-'), operation: name }, at.signal).catch(() => {});
      return ledger.post({ ...debit, operation: name }, at.signal);
    };`,
    from: 1,
    within: 20,
  },
  waitersForgotten: {
    name: 'a flight that forgets its waiters',
    breaks: 'waiters are kept',
    file: 'src/read/waiters.ts',
    text: 'if (this.isEmpty) this.#onEmpty();',
    instead: 'if (true) this.#onEmpty();',
    from: 4_201,
    within: 100,
  },
  tombstoneShort: {
    name: 'a tombstone that expires early',
    breaks: 'tombstones win',
    file: 'src/read/tombstones.ts',
    text: 'const ttlMs = 2 * Math.max(',
    instead: 'const ttlMs = 0.02 * Math.max(',
    from: 101,
    within: 100,
  },
  deletionUndone: {
    name: 'a deletion undone by a page that the network made before it',
    breaks: 'tombstones win',
    file: 'src/read/pages.ts',
    text: 'const origin = { fetchedAt, beganAt, noted,',
    instead: 'const origin = { fetchedAt, beganAt: fetchedAt, noted: tombstones.noted,',
    from: 1,
    within: 100,
  },
  lateCached: {
    name: 'a page cached with what was found deleted while it was read',
    breaks: 'tombstones win',
    file: 'adapters/redis/tombstones/shown-names.ts',
    text: 'beganAt === undefined ? 0 : this.#options.clock.now() - beganAt',
    instead: '0',
    from: 481,
    within: 20,
  },
  paidLater: {
    name: 'an answer that does not wait for its charge',
    breaks: 'nothing delivered unpaid',
    file: 'src/metering/settle.ts',
    text: 'return outcomeOf(posting, at, amount);',
    instead: 'posting.catch(() => {}); return Promise.resolve({ ok: true, balance: limit.left, seq: 0 } as never);',
    from: 1,
    within: 20,
  },
  revokedLate: {
    name: 'a key that is remembered for a minute',
    breaks: 'revoked within five seconds',
    file: 'src/access/identify.ts',
    text: 'export const LOOKUP_TTL_MS = 3000;',
    instead: 'export const LOOKUP_TTL_MS = 60000;',
    from: 601,
    within: 100,
  },
  paceForgotten: {
    name: 'a pace that each process keeps for itself',
    breaks: 'one pace',
    file: 'adapters/redis/pace.ts',
    text: 'return link.run(',
    instead: 'if (local) return local.reserve(key, perSecond); return link.run(',
    from: 1,
    within: 100,
  },
  lockIgnored: {
    name: 'a flight that another process leads, made again',
    breaks: 'one flight',
    file: 'adapters/redis/single-flight.ts',
    text: 'if (leader === token) return lead({ source, key, token }, read);',
    instead: 'if (leader !== undefined) return lead({ source, key, token }, read);',
    from: 1,
    within: 100,
  },
  pageRepeated: {
    name: 'a page that begins with the last item of the one before',
    breaks: 'pages complete, without repeats',
    file: 'src/read/fill.ts',
    text: 'inside: index + 1, passed, at: itemTime(item) };',
    instead: 'inside: index, passed: passed.slice(1), at: itemTime(item) };',
    from: 1,
    within: 100,
  },
  watchForgets: {
    name: 'a watch that does not ask what it was charged for before',
    breaks: 'watches deliver once',
    file: 'src/watches/follower.ts',
    text: 'isResumed: true',
    instead: 'isResumed: false',
    from: 201,
    within: 100,
  },
  watchChargedAgain: {
    name: 'a charge of a watch that is named by its time',
    breaks: 'watches deliver once',
    file: 'src/live/live.ts',
    text: ': this.positions.requestId(position, queryKey);',
    instead: ': this.positions.requestId({ ...position, at: clock.now() }, queryKey);',
    from: 1,
    within: 100,
  },
  watchTellsLess: {
    name: 'a delivery that says nothing of what was charged before its process died',
    breaks: 'watches deliver once',
    file: 'src/live/live.ts',
    text: 'const charged = paid ?? result.charge.amount;',
    instead: 'const charged = result.charge.amount;',
    from: 1,
    within: 100,
  },
  shardsMixed: {
    name: 'debits of all shards in one queue',
    breaks: 'shards apart',
    file: 'adapters/postgres/ledger/post.ts',
    text: 'const queue = queueOf(debit.accountId);',
    instead: 'const queue = 0;',
    from: 1,
    within: 100,
  },
  shardsInTurn: {
    name: 'one queue for all shards, whose flushes ask one after the other',
    breaks: 'shards apart',
    file: 'adapters/postgres/ledger/post.ts',
    text: `const queue = queueOf(debit.accountId);
    const commits = queues.get(queue) ?? new GroupCommit(options);`,
    instead: `const queue = 0;
    const flushEach: typeof options.flush = async (batch, mode) => {
      const verdicts = new Map<Posting, Verdict<Posted>>();
      for (const shard of new Set(batch.map((posting) => queueOf(posting.debit.accountId)))) {
        const own = batch.filter((posting) => queueOf(posting.debit.accountId) === shard);
        const found = await options.flush(own, mode);
        for (const [nth, posting] of own.entries()) verdicts.set(posting, found[nth]!);
      }
      return batch.map((posting) => verdicts.get(posting)!);
    };
    const commits = queues.get(queue) ?? new GroupCommit({ ...options, flush: flushEach });`,
    from: 101,
    within: 100,
  },
  shardAnswerLost: {
    name: 'an answer of a shard that is lost, taken for one that did nothing',
    breaks: 'refusals are free',
    file: 'adapters/postgres/retry.ts',
    text: "CONNECTION_LOST.has(errorCode(error)) || errorCode(error).startsWith('08')",
    instead: 'CONNECTION_LOST.has(errorCode(error))',
    from: 1,
    within: 100,
  },
} as const satisfies Record<string, Mutant>;

export type MutantName = keyof typeof MUTANTS;
