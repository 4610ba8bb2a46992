/** Alerts that customers set. */
import type { Actor } from '../domain/audit.js';
import type { Thousandths } from '../domain/credits.js';
import type { Channel, DeliveryResult, NewDelivery } from './deliveries.js';

/** `balance_below`: the balance falls below the amount; `day_spend_above`: more is spent in one UTC day. */
export type AlertKind = 'balance_below' | 'day_spend_above';

export interface AlertSettings {
  readonly kind: AlertKind;
  readonly amount: Thousandths;
  /** Whether it goes to the account's mail address. */
  readonly byMail: boolean;
  readonly webhookUrl: string | null;
}

/** The outcome of the last notice on one channel. Times are RFC 3339. */
export interface LastDelivery extends Omit<DeliveryResult, 'excerpt'> {
  readonly channel: Channel;
  readonly createdAt: string;
  readonly deliveredAt: string | null;
  /** When it is tried again; null once it is delivered or given up. */
  readonly dueAt: string | null;
}

export interface AlertRecord extends AlertSettings {
  readonly alertId: string;
  readonly createdAt: string;
  /** When it was last raised. */
  readonly crossedAt: string | null;
  /** One per channel at most. */
  readonly last: readonly LastDelivery[];
}

/** An alert, with the current values of what it watches. */
export interface AlertLevel extends AlertSettings {
  readonly accountId: string;
  readonly alertId: string;
  readonly email: string | null;
  readonly balance: Thousandths;
  /** The balance after the last top-up, and that entry's number; 0 without one. */
  readonly full: Thousandths;
  readonly topupSeq: number;
  /** What was spent on the day; 0 if the alert does not depend on it. */
  readonly spent: Thousandths;
  /** The last crossing that the owner was notified of. */
  readonly crossing: string | null;
}

export interface AlertStore {
  list(accountId: string): Promise<AlertRecord[]>;
  /** Returns its id; null if the account already has `most` alerts. */
  add(accountId: string, alert: AlertSettings, most: number, by: Actor): Promise<string | null>;
  /** Also deletes its notices. Idempotent. */
  remove(accountId: string, alertId: string, by: Actor): Promise<void>;
  /** Of these accounts, on that UTC day (`2026-11-21`). */
  levels(accountIds: readonly string[], day: string): Promise<AlertLevel[]>;
  /**
   * Marks a crossing as notified, and in the same transaction stores its notices to be delivered. True for only one
   * caller, on any node, and only if the alert is still as `level` says.
   */
  claim(level: AlertLevel, crossing: string, nowMs: number, notices: readonly NewDelivery[]): Promise<boolean>;
  /** Marks a crossing as one that needs no notice, because it already existed when the alert was set. */
  skip(accountId: string, alertId: string, crossing: string): Promise<void>;
  /** Stores notices of an alert that was not raised. */
  deliver(accountId: string, alertId: string, notices: readonly NewDelivery[]): Promise<void>;
}
