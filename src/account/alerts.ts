import type { Actor } from '../domain/audit.js';
import { badRequest, ServiceError } from '../domain/errors.js';
import { DAY_MS, utcDay } from '../lib/durations.js';
import { sentence } from '../lib/text.js';
import type { AccountRecord } from '../ports/accounts.js';
import type { AlertRecord, AlertSettings, AlertStore } from '../ports/alerts.js';
import type { Clock } from '../ports/clock.js';
import type { DeliveryRecord, Webhooks } from '../ports/deliveries.js';
import type { RateLimiter } from '../ports/rate-limiter.js';
import { pendingCrossing, testNotices } from './alert-levels.js';
import type { Deliveries } from './deliveries.js';
import { admitByHand, admitCheck } from './webhook-limits.js';
import { webhookSecret } from './webhook-signature.js';

/** Most alerts of an account. */
const MOST_ALERTS = 10;

export interface AlertsOptions {
  readonly store: AlertStore;
  readonly webhooks: Pick<Webhooks, 'check'>;
  readonly deliveries: Pick<Deliveries, 'runSoon' | 'list' | 'again'>;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  /** The root that the secrets of webhooks are derived from. */
  readonly secret: Uint8Array;
  /** Whether there is a mail server. */
  readonly mail: boolean;
  readonly authUrl: () => string;
}

type Owner = Pick<AccountRecord, 'accountId' | 'email'>;

/** The alerts of accounts, for their owners. */
export class Alerts {
  readonly #options: AlertsOptions;

  constructor(options: AlertsOptions) {
    this.#options = options;
  }

  /** Whether alerts can be sent to an account's mail address. */
  canMail = ({ email }: Pick<Owner, 'email'>): boolean => this.#options.mail && email !== null;

  /** Why alerts cannot be mailed; call only if `canMail` is false. */
  whyNoMail = ({ email }: Pick<Owner, 'email'>): string =>
    email === null ? 'the owner of this account has no email address.' : 'this server sends no email.';

  /** The notices of an account's alerts and the outcome of each, newest first. */
  deliveries(accountId: string): Promise<DeliveryRecord[]> {
    return this.#options.deliveries.list(accountId);
  }

  /**
   * Sends a notice once more, unchanged and under the same id. Throws `not_found` if the account has no such notice,
   * and `rate_limited`.
   */
  async sendAgain(accountId: string, deliveryId: string): Promise<void> {
    await admitByHand(this.#options.limiter, accountId);
    if (await this.#options.deliveries.again(accountId, deliveryId)) return;
    throw new ServiceError('not_found', 'This account has no such delivery.');
  }

  /** Oldest first. */
  list(accountId: string): Promise<AlertRecord[]> {
    return this.#options.store.list(accountId);
  }

  /**
   * Sets an alert, and returns its id and its webhook's secret. A level that is already crossed raises no notice.
   * Throws `bad_request` for a webhook address that nothing may be sent to, for an alert with neither mail nor webhook,
   * and above the maximum number of alerts; `rate_limited` if too many addresses were checked.
   */
  async add(owner: Owner, alert: AlertSettings, by: Actor): Promise<{ alertId: string; secret: string | null }> {
    let { webhookUrl } = alert;
    const { store, webhooks, clock, secret } = this.#options;
    if (webhookUrl === null && !alert.byMail) {
      throw this.canMail(owner)
        ? badRequest('Choose how you want to be notified: by email, by webhook, or both.', 'channel')
        : badRequest(`Enter the URL of a webhook: ${sentence(this.whyNoMail(owner))}`, 'webhook_url');
    }
    if (alert.byMail && !this.canMail(owner))
      throw badRequest(`No email can be sent: ${sentence(this.whyNoMail(owner))}`, 'channel');
    if (webhookUrl !== null) {
      if ((await store.list(owner.accountId)).length >= MOST_ALERTS) throw tooManyAlerts();
      await admitCheck(this.#options.limiter, owner.accountId);
      webhookUrl = await webhooks.check(webhookUrl, owner.accountId);
    }
    const alertId = await store.add(owner.accountId, { ...alert, webhookUrl }, MOST_ALERTS, by);
    if (alertId === null) throw tooManyAlerts();
    const day = utcDay(clock.now());
    const level = (await store.levels([owner.accountId], day)).find((one) => one.alertId === alertId);
    const pending = level === undefined ? null : pendingCrossing(level, day);
    // The day before may still be looked at, shortly after midnight.
    const crossing = alert.kind === 'day_spend_above' ? (pending ?? utcDay(clock.now() - DAY_MS)) : pending;
    if (crossing !== null) await store.skip(owner.accountId, alertId, crossing);
    return { alertId, secret: webhookUrl === null ? null : webhookSecret(secret, owner.accountId, alertId) };
  }

  remove(accountId: string, alertId: string, by: Actor): Promise<void> {
    return this.#options.store.remove(accountId, alertId, by);
  }

  /**
   * Sends a notice that says it is a test, and waits a few seconds for the outcome, which the alert then shows. Throws
   * `not_found` if the account has no such alert, and `rate_limited`.
   */
  async test(owner: Owner, alertId: string): Promise<void> {
    const { store, deliveries, clock, authUrl, mail } = this.#options;
    const alert = (await store.list(owner.accountId)).find((one) => one.alertId === alertId);
    if (alert === undefined) throw new ServiceError('not_found', 'This account has no such alert.');
    await admitByHand(this.#options.limiter, owner.accountId);
    const context = { nowMs: clock.now(), dashboard: `${authUrl()}/dashboard`, mail };
    await store.deliver(owner.accountId, alertId, testNotices({ ...alert, email: owner.email }, context));
    await deliveries.runSoon(owner.accountId);
  }
}

const tooManyAlerts = (): ServiceError =>
  badRequest(`This account has ${MOST_ALERTS} alerts, the maximum. Remove one first.`, 'kind');
