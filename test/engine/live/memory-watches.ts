import { HOUR_MS } from '../../../src/lib/durations.js';
import type { NewDelivery } from '../../../src/ports/deliveries.js';
import type {
  HeldWatch,
  WatchCheck,
  WatchId,
  WatchLeases,
  WatchReason,
  WatchState,
} from '../../../src/ports/watches.js';

/** A watch in a test's store. */
export interface Row extends Omit<HeldWatch, 'state' | 'position' | 'number' | 'spentThatDay' | 'spentOn'> {
  state: WatchState;
  reason: WatchReason | null;
  stateAt: number;
  dueAt: number | null;
  position: string;
  number: number;
  spent: number;
  spentThatDay: number;
  spentOn: string | null;
  newestAt: number | null;
  check: WatchCheck | null;
  holder: string | null;
  keyHash: string;
}

export interface Written extends Pick<NewDelivery, 'channel' | 'subject' | 'body'> {
  readonly watchId: string;
  readonly deliveryId: string | null;
  readonly number: number | null;
  readonly charged: number | null;
  isDelivered: boolean;
}

/** The watches of all processes of a test, in memory, with the behaviour of a store at once and in order. */
export class MemoryWatches {
  readonly rows = new Map<string, Row>();
  readonly written: Written[] = [];
  readonly #mailed = new Set<string>();
  readonly #holders = new Map<string, number>();

  add(watch: Omit<HeldWatch, 'state' | 'reason' | 'number' | 'spentThatDay' | 'spentOn'>, at = 0): Row {
    const row: Row = {
      ...{ ...watch, state: 'active', reason: null, stateAt: at, dueAt: null, number: 0, spent: 0, spentThatDay: 0 },
      ...{ spentOn: null, newestAt: null, check: null, holder: null },
    };
    this.rows.set(row.watchId, row);
    return row;
  }

  /** As its account changes it. */
  change({ watchId }: Pick<WatchId, 'watchId'>, state: WatchState, at: number): void {
    const row = this.rows.get(watchId);
    if (row === undefined) return;
    const reason = state === 'paused' ? 'by_hand' : null;
    const dueAt = state === 'ended' && row.holder === null ? at : null;
    Object.assign(row, { state, reason, stateAt: at, dueAt });
  }

  of({ watchId }: Pick<WatchId, 'watchId'>): Written[] {
    return this.written.filter((one) => one.watchId === watchId);
  }

  readonly leases: WatchLeases = {
    renew: async (holder, checks, heldTo) => {
      this.#holders.set(holder, heldTo);
      for (const check of checks) {
        const row = this.#heldBy(holder, check);
        if (row !== undefined) row.check = check;
      }
      const held = [...this.rows.values()].filter((row) => row.holder === holder && row.state !== 'paused');
      return held.map(({ accountId, watchId, state }) => ({ accountId, watchId, isEnded: state === 'ended' }));
    },
    claim: async (holder, nowMs, limit, only) => {
      const isLive = (of: string): boolean => (this.#holders.get(of) ?? 0) > nowMs;
      if (!isLive(holder)) return [];
      for (const row of this.rows.values())
        if (row.state === 'paused' && row.holder !== null && !isLive(row.holder)) row.holder = null;
      const free = [...this.rows.values()].filter(
        (row) =>
          (only?.some(({ watchId }) => watchId === row.watchId) ?? true) &&
          (isFree(row, nowMs) || (row.holder !== null && !isLive(row.holder))),
      );
      return free.slice(0, limit).map((row) => {
        row.holder = holder;
        return held(row);
      });
    },
    count: async (nowMs) => ({
      watches: [...this.rows.values()].filter((row) => row.holder !== null || isFree(row, nowMs)).length,
      holders: [...this.#holders.values()].filter((heldTo) => heldTo > nowMs).length,
    }),
    step: async (holder, watch, step) => {
      const row = this.#heldBy(holder, watch);
      if (row === undefined || row.position !== step.from) return false;
      if (this.of(watch).some(({ deliveryId }) => deliveryId === step.requestId))
        throw new Error('It is there already.');
      const { position, charged, day, newestAt, requestId, body } = step;
      row.position = position;
      row.number += 1;
      row.spent += charged;
      row.spentThatDay = charged + (row.spentOn === day ? row.spentThatDay : 0);
      row.spentOn = day;
      if (newestAt !== null) row.newestAt = Math.max(row.newestAt ?? 0, newestAt);
      const of = { watchId: row.watchId, deliveryId: requestId, number: row.number, charged, isDelivered: false };
      this.written.push({ ...of, channel: 'webhook', subject: null, body: body.join('') });
      return true;
    },
    stop: async (holder, watch, { state, reason, dueAt, at, notices }) => {
      const row = this.#heldBy(holder, watch);
      if (row === undefined || !isFollowed(row)) return false;
      const isSame = row.state === state && row.reason === reason;
      Object.assign(row, { state, reason, dueAt, stateAt: isSame ? row.stateAt : at, holder: null });
      const of = { watchId: row.watchId, deliveryId: null, number: null, charged: null, isDelivered: false };
      const mail = `${row.keyHash} ${reason} ${Math.floor(at / HOUR_MS)}`;
      const due = notices.filter(({ channel }) => channel === 'webhook' || !this.#mailed.has(mail));
      if (due.some(({ channel }) => channel === 'mail')) this.#mailed.add(mail);
      this.written.push(...due.map((notice) => ({ ...of, ...notice })));
      return true;
    },
    wake: async (holder, watch, at) => {
      const row = this.#heldBy(holder, watch);
      if (row?.state === 'waiting') Object.assign(row, { state: 'active', reason: null, stateAt: at, dueAt: null });
    },
    backlog: async (watch) => {
      const bodies = this.of(watch).filter(({ number, isDelivered }) => number !== null && !isDelivered);
      return {
        deliveries: bodies.length,
        bytes: bodies.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0),
      };
    },
    giveUp: async (holder, watches, againAt) => {
      for (const watch of watches) {
        const row = this.#heldBy(holder, watch);
        if (row === undefined) continue;
        row.holder = null;
        if (row.state === 'ended') row.dueAt = againAt ?? null;
      }
    },
    release: async (holder, nowMs) => {
      this.#holders.set(holder, nowMs);
    },
    forget: async (before, limit) => {
      const gone = [...this.rows.values()]
        .filter(({ state, stateAt }) => state === 'ended' && stateAt < before)
        .filter((row) => this.of(row).every(({ number, isDelivered }) => number === null || isDelivered))
        .slice(0, limit);
      for (const { watchId } of gone) this.remove(watchId);
      return gone.length;
    },
  };

  remove(watchId: string): void {
    this.rows.delete(watchId);
    const left = this.written.filter((one) => one.watchId !== watchId);
    this.written.splice(0, this.written.length, ...left);
  }

  #heldBy(holder: string, { watchId }: Pick<WatchId, 'watchId'>): Row | undefined {
    const row = this.rows.get(watchId);
    return row?.holder === holder ? row : undefined;
  }
}

const isFollowed = ({ state }: Row): boolean => state === 'active' || state === 'waiting';

const isFree = ({ state, dueAt, holder }: Row, nowMs: number): boolean =>
  holder === null && state !== 'paused' && (dueAt === null ? state !== 'ended' : dueAt <= nowMs);

function held(row: Row): HeldWatch {
  const { stateAt: _at, dueAt: _due, spent: _spent, newestAt: _newest, check: _check, holder: _holder, ...watch } = row;
  return { ...watch, state: row.state === 'paused' ? 'active' : row.state };
}
