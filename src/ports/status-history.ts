import type { Family } from '../domain/model.js';
import type { Incident, StatusDay, Trouble } from '../domain/status-history.js';

/** A minute with trouble. */
export interface BadMinute {
  /** Its begin, Unix milliseconds. */
  readonly minute: number;
  readonly family: Family;
  readonly trouble: Trouble;
  readonly calls: number;
  readonly failures: number;
}

export interface StatusHistory {
  /**
   * Adds to what other processes have written, all rows or none; nothing if a batch with this id (a UUID) was added
   * before.
   */
  add(batchId: string, days: readonly StatusDay[], minutes: readonly BadMinute[]): Promise<void>;
  /** The days from this one on, in their order, and as many incidents, the newest first. */
  read(fromDay: string, incidents: number): Promise<{ days: StatusDay[]; incidents: Incident[] }>;
}
