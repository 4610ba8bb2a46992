import { AUDIT, type AuditDetail, type AuditKind } from '../../../../src/domain/audit.js';
import { counted, figure, inCredits } from '../../../../src/domain/figures.js';

/** The label of a kind of change; a kind that this version does not know is shown unchanged. */
export const kindText = (what: AuditKind): string => (Object.hasOwn(AUDIT, what) ? AUDIT[what] : what);

type Value = AuditDetail[string];

const PERIODS: Record<string, string> = { day: ' per day', month: ' per month', total: ' in total' };
const METHODS: Record<string, string> = { link: 'by link', passkey: 'by passkey' };

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;

function plain(value: Value): string {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return figure(value);
  return RFC_3339.test(value) ? `${value.slice(0, 10)} ${value.slice(11, 16)} UTC` : value;
}

const describeCap = (credits: Value, period: Value | undefined): string =>
  typeof credits === 'number' ? `cap ${inCredits(credits)}${PERIODS[String(period)] ?? ''}` : 'no cap';

/** Facts with special wording. Ids are for machines and left out here. */
const SAID: Record<string, (value: Value, detail: AuditDetail) => string | null> = {
  grant_id: () => null,
  sale_id: () => null,
  cap_period: () => null,
  period: () => null,
  key_prefix: (value) => `${plain(value)}…`,
  new_key_prefix: (value) => `now ${plain(value)}…`,
  old_ends_at: (value) => (value === null ? 'the old one was revoked at once' : `the old one expires ${plain(value)}`),
  cap_thousandths: (value, detail) => describeCap(typeof value === 'number' ? value / 1000 : value, detail.cap_period),
  cap: (value, detail) => describeCap(value, detail.period),
  requests_per_second: (value) =>
    typeof value === 'number' ? `now ${counted(value, 'request')} per second` : 'now the rate of its tier',
  counts_as_paid_usd: (value) => `$${plain(value)} counts as paid`,
  usd: (value) => `$${plain(value)}`,
  credits: (value) => (typeof value === 'number' ? inCredits(value) : null),
  method: (value) => METHODS[String(value)] ?? plain(value),
  from: (value) => (value === null ? null : `was ${plain(value)}`),
  to: (value) => `now ${plain(value)}`,
  name: (value) => `“${plain(value)}”`,
  client: (value) => `“${plain(value)}”`,
  redirect_uri: (value) => `redirects to ${plain(value)}`,
};

/** The facts of a change in words: `perch_live_8fK2xQ…; “Reader”; cap 500 credits per day`. */
export const detailText = (detail: AuditDetail): string =>
  Object.entries(detail)
    .map(([name, value]) => {
      if (Object.hasOwn(SAID, name)) return SAID[name]?.(value, detail) ?? null;
      return value === null ? null : `${name.replaceAll('_', ' ')} ${plain(value)}`;
    })
    .filter((text) => text !== null)
    .join('; ');
