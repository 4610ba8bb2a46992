import { Counter, Gauge, type Registry } from 'prom-client';
import type { Family } from '../../src/domain/model.js';
import type { PushState } from '../../src/ports/network.js';
import type { FamilyHealth, InFlightHealth, PoolHealth } from '../../src/read/pool/health.js';

const SESSION_STATES = ['ok', 'limited', 'resting', 'failing'] as const;

interface Row {
  readonly name: string;
  readonly help: string;
  readonly of: (health: FamilyHealth) => number;
}

/** Counted by the pool since the start. */
const COUNTERS: readonly Row[] = [
  { name: 'calls_total', help: 'Upstream calls.', of: (of) => of.upstreamCalls },
  { name: 'failures_total', help: 'Upstream calls that failed because of the network.', of: (of) => of.failures },
  {
    name: 'unreadable_total',
    help: 'Objects of the network that could not be read and were left out or, if requested by name, failed.',
    of: (of) => of.unreadable,
  },
  {
    name: 'refused_total',
    help: "Reads refused at once: too late for their deadline, or over their account's share of the queue.",
    of: (of) => of.refused,
  },
  { name: 'queue_wait_seconds_total', help: 'Time reads spent waiting in the queue.', of: (of) => of.waitedMs / 1000 },
];

/** Current values. */
const GAUGES: readonly Row[] = [
  { name: 'queue_length', help: 'Reads waiting in the queue.', of: (of) => of.waiting },
  { name: 'next_wait_seconds', help: 'Estimated wait for a new read.', of: (of) => of.waitMs / 1000 },
];

/** By network session and kind of read: one series for each pair. */
const IN_FLIGHT: readonly [name: string, help: string, of: (inFlight: InFlightHealth) => number][] = [
  ['in_flight', 'Upstream calls in progress.', ({ calls }) => calls],
  ['in_flight_limit', 'Current concurrency limit for upstream calls.', ({ limit }) => limit],
];

/** Measures the network's side, as the pool reports it at each scrape. */
export function measureUpstream(registers: Registry[], health: () => PoolHealth): void {
  const families = (): [Family, FamilyHealth][] => Object.entries(health().families) as [Family, FamilyHealth][];
  for (const { name, help, of } of COUNTERS) {
    new Counter({
      name: `perch_upstream_${name}`,
      help,
      labelNames: ['family'],
      registers,
      collect() {
        this.reset();
        for (const [family, counts] of families()) this.inc({ family }, of(counts));
      },
    });
  }
  for (const { name, help, of } of GAUGES) {
    new Gauge({
      name: `perch_upstream_${name}`,
      help,
      labelNames: ['family'],
      registers,
      aggregator: name === 'queue_length' ? 'sum' : 'max',
      collect() {
        for (const [family, counts] of families()) this.set({ family }, of(counts));
      },
    });
  }
  new Counter({
    name: 'perch_lookups_total',
    help: 'Lookups of objects and pages, by family and by source: cache or network.',
    labelNames: ['family', 'source'],
    registers,
    collect() {
      this.reset();
      for (const [family, { cacheHits: cached, read }] of families()) {
        this.inc({ family, source: 'cache' }, cached);
        this.inc({ family, source: 'network' }, read);
      }
    },
  });
  measureInFlight(registers, families);
  new Gauge({
    name: 'perch_sessions',
    help: 'Network sessions by state.',
    labelNames: ['state'],
    registers,
    // Each worker reports all of them.
    aggregator: 'average',
    collect() {
      const { sessions } = health();
      for (const state of SESSION_STATES) {
        this.set({ state }, sessions.filter((session) => session.state === state).length);
      }
    },
  });
}

/** Measures the network's announcements of new items. */
export function measurePush(registers: Registry[], state: () => PushState): void {
  new Gauge({
    name: 'perch_push_connected',
    help: 'Processes to which the network announces new items. Each connects once it follows a list.',
    registers,
    collect() {
      this.set(state().isConnected ? 1 : 0);
    },
  });
  new Gauge({
    name: 'perch_push_lists',
    help: 'Lists whose new items the network announces.',
    registers,
    collect() {
      this.set(state().lists);
    },
  });
  new Counter({
    name: 'perch_push_messages_total',
    help: 'Announcements of the network, by kind: new, an item of a list that is followed, or unreadable.',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset();
      const { announced, unreadable } = state();
      this.inc({ kind: 'new' }, announced);
      this.inc({ kind: 'unreadable' }, unreadable);
    },
  });
}

function measureInFlight(registers: Registry[], families: () => [Family, FamilyHealth][]): void {
  for (const [name, help, of] of IN_FLIGHT) {
    new Gauge({
      name: `perch_upstream_${name}`,
      help,
      labelNames: ['family', 'session', 'kind'],
      registers,
      aggregator: 'sum',
      collect() {
        for (const [family, { inFlight }] of families()) {
          for (const each of inFlight) this.set({ family, session: each.session, kind: each.kind }, of(each));
        }
      },
    });
  }
}
