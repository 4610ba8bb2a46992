import { Counter, Gauge, type Registry } from 'prom-client';
import type { MemoryState } from '../../src/lib/memories.js';

interface Row {
  readonly name: string;
  readonly help: string;
  readonly of: (memory: MemoryState) => number;
}

const GAUGES: readonly Row[] = [
  { name: 'bytes', help: 'Estimated current size of a memory table, keys included.', of: ({ bytes }) => bytes },
  { name: 'limit_bytes', help: 'Maximum size of a memory table.', of: ({ maxBytes }) => maxBytes },
];

/** Measures everything that the process keeps between requests, by its name in the table of memories. */
export function measureMemories(registers: Registry[], memories: () => readonly MemoryState[]): void {
  const labelNames = ['memory'] as const;
  for (const { name, help, of } of GAUGES) {
    new Gauge({
      name: `perch_memory_${name}`,
      help,
      labelNames,
      registers,
      collect() {
        for (const memory of memories()) this.set({ memory: memory.name }, of(memory));
      },
    });
  }
  new Counter({
    name: 'perch_memory_evictions_total',
    help: 'Entries evicted from a memory table to make room.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const memory of memories()) this.inc({ memory: memory.name }, memory.evictions);
    },
  });
}
