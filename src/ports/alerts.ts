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

/** How the last notice of a channel went. Times are RFC 3339. */
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

/** An alert and what it watches, now. */
export interface AlertLevel extends AlertSettings {
  readonly accountId: string;
  readonly alertId: string;
  readonly email: string | null;
  readonly balance: Thousandths;
  /** The balance after the last top-up, and that entry's number; 0 without one. */
  readonly full: Thousandths;
  readonly topupSeq: number;
  /** What was spent on the day; 0 where the alert does not ask for it. */
  readonly spent: Thousandths;
  /** The last crossing that was told. */
  readonly crossing: string | null;
}

export interface AlertStore {
  list(accountId: string): Promise<AlertRecord[]>;
  /** Its id; null if the account has `most` already. */
  add(accountId: string, alert: AlertSettings, most: number, by: Actor): Promise<string | null>;
  /** Its notices go with it. Idempotent. */
  remove(accountId: string, alertId: string, by: Actor): Promise<void>;
  /** Of these accounts, on that UTC day (`2026-11-21`). */
  levels(accountIds: readonly string[], day: string): Promise<AlertLevel[]>;
  /**
   * Marks a crossing as told, and in the same transaction writes its notices down to be delivered. True for only one
   * caller, on any node: the alert must still be as `level` says.
   */
  claim(level: AlertLevel, crossing: string, nowMs: number, notices: readonly NewDelivery[]): Promise<boolean>;
  /** Marks a crossing as one that need not be told: it was there when the alert was set. */
  skip(accountId: string, alertId: string, crossing: string): Promise<void>;
  /** Writes down notices of an alert that was not raised. */
  deliver(accountId: string, alertId: string, notices: readonly NewDelivery[]): Promise<void>;
}
