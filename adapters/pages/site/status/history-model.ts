import type { Incident, StatusDay } from '../../../../src/domain/status-history.js';

/** What the status page tells of the past. */
export interface HistoryModel {
  /** The first UTC day, such as `2026-11-23`. */
  readonly fromDay: string;
  /** In order; a day on which nothing ran is missing. */
  readonly days: readonly StatusDay[];
  /** The newest first. */
  readonly incidents: readonly Incident[];
}
