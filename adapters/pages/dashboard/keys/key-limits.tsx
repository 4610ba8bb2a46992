import { MOST_NETWORKS, readNetworks } from '../../../../src/access/address.js';
import { FIRST_DAY, isDay, LAST_DAY } from '../../../../src/account/usage-cursor.js';
import { badRequest } from '../../../../src/domain/errors.js';
import { LISTS, SCOPES, type Scope } from '../../../../src/domain/lists.js';
import { utcDay } from '../../../../src/lib/durations.js';
import type { KeyLimits, KeyRecord } from '../../../../src/ports/accounts.js';
import { InputField } from '../../kit/signed-in/fields.js';
import { Card, FieldError, FormError, type FormFault, unplaced, wrong } from '../../kit/signed-in/parts.js';

/** The input exactly as it was typed. */
export interface LimitsInput {
  readonly scopes: readonly Scope[];
  readonly allowedFrom: string;
  /** A day, or empty. */
  readonly expires: string;
}

export const NO_LIMITS: LimitsInput = { scopes: SCOPES, allowedFrom: '', expires: '' };

export const toLimitsInput = ({ scopes, allowedFrom, expiresAt }: KeyRecord): LimitsInput => ({
  scopes: scopes ?? SCOPES,
  allowedFrom: allowedFrom?.join(' ') ?? '',
  expires: expiresAt === null ? '' : utcDay(Date.parse(expiresAt)),
});

/** An invalid list is cut to this many characters when it is put back into the field. */
const LONGEST = 2000;

/** No limits if the form has no fields for them, like the form for the first key. */
export const limitsIn = (form: URLSearchParams): LimitsInput =>
  form.has('allowed_from')
    ? {
        scopes: SCOPES.filter((scope) => form.get(`read-${scope}`) === '1'),
        allowedFrom: (form.get('allowed_from') ?? '').slice(0, LONGEST),
        expires: form.get('expires') ?? '',
      }
    : NO_LIMITS;

/** Throws `bad_request` with a message for the customer. */
export function readLimits({ scopes, allowedFrom, expires }: LimitsInput): KeyLimits {
  if (scopes.length === 0) throw badRequest('Choose at least one kind of read. To stop the key, revoke it.', 'scopes');
  const networks = readNetworks(allowedFrom);
  if (expires !== '' && !isDay(expires)) {
    throw badRequest(`The last day must be a date such as 2026-12-31, from ${FIRST_DAY} to ${LAST_DAY}.`, 'expires');
  }
  return {
    scopes: scopes.length === SCOPES.length ? null : scopes,
    allowedFrom: networks.length === 0 ? null : networks,
    expiresAt: expires === '' ? null : `${expires}T23:59:59.999Z`,
  };
}

const scopeName = (scope: Scope): string => {
  if (scope === 'tweets') return 'tweets by id';
  return scope === 'profiles' ? scope : LISTS[scope].query.name;
};

/** Fields for what a key may read, from where, and until when, each with its error. */
const LimitFields = ({ typed, fault }: { typed: LimitsInput; fault: FormFault | null }) => (
  <>
    <fieldset class="checks">
      <legend>May read</legend>
      {SCOPES.map((scope) => (
        <label key={scope}>
          <input
            type="checkbox"
            name={`read-${scope}`}
            value="1"
            checked={typed.scopes.includes(scope)}
            {...wrong(fault, 'scopes')}
          />{' '}
          {scopeName(scope)}
        </label>
      ))}
      <FieldError fault={fault} field="scopes" />
    </fieldset>
    <InputField
      name="allowed_from"
      label="IP addresses or networks (empty: anywhere)"
      grow
      value={typed.allowedFrom}
      maxLength={LONGEST}
      spellcheck={false}
      placeholder="192.0.2.0/24 2001:db8::/32"
      fault={fault}
    />
    <InputField name="expires" label="Last day (UTC; empty: none)" type="date" value={typed.expires} fault={fault} />
  </>
);

export const LIMIT_FIELDS: readonly string[] = ['scopes', 'allowed_from', 'expires'];

const Terms = () => (
  <p class="soft small">
    Up to {MOST_NETWORKS} networks. Every key can read the account's own data, such as its balance.
  </p>
);

/** The limits in the form for a new key, collapsed unless something was chosen. */
export const NewKeyLimits = ({ typed, fault }: { typed: LimitsInput; fault: FormFault | null }) => {
  const isUsed = typed.scopes.length < SCOPES.length || typed.allowedFrom !== '' || typed.expires !== '';
  return (
    <details class="folded" open={isUsed}>
      <summary class="folded-title">Limits (optional)</summary>
      <p class="soft">What this key may read, from where, and until when. They can be changed later.</p>
      <div class="row-form">
        <LimitFields typed={typed} fault={fault} />
      </div>
      <Terms />
    </details>
  );
};

/** The limits on the page of a key. */
export const LimitsCard = (props: { record: KeyRecord; typed: LimitsInput; fault: FormFault | null }) => (
  <Card
    id="limits"
    title="Limits"
    lead="What this key may read, from where, and until when. Calls outside these limits are refused free of charge. Changes take effect within seconds and also apply to a rotated key."
  >
    <form method="post" action={`/dashboard/keys/${props.record.keyId}/limits`} class="row-form">
      <LimitFields typed={props.typed} fault={props.fault} />
      <button type="submit" class="button primary">
        Save limits
      </button>
    </form>
    <FormError id="limits-error" message={unplaced(props.fault, LIMIT_FIELDS)} />
    <Terms />
  </Card>
);
