import { cpus, totalmem } from 'node:os';
import type { BenchOptions } from './options.js';

/** The machine and versions on which the figures of a run depend. */
export const MACHINE = {
  date: new Date().toISOString().slice(0, 10),
  node: process.version,
  cores: cpus().length,
  processor: cpus()[0]?.model ?? 'unknown',
  memoryGb: Math.round(totalmem() / 2 ** 30),
};

/** The same text as the beginning of a sentence. */
export const machineLine = (): string =>
  `${MACHINE.date}, Node ${MACHINE.node.slice(1)}, ${MACHINE.cores} cores (${MACHINE.processor}), ${MACHINE.memoryGb} GB`;

/** The same with the duration of the measurements. */
export const runLine = ({ rounds, seconds }: BenchOptions): string =>
  `${machineLine()}; medians of ${rounds} rounds of ${seconds} s.`;
