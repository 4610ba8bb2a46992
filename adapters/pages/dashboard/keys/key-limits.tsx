import { MOST_NETWORKS, readNetworks } from '../../../../src/access/address.js';
import { FIRST_DAY, isDay, LAST_DAY } from '../../../../src/account/usage-cursor.js';
import { badRequest } from '../../../../src/domain/errors.js';
import { LISTS, SCOPES, type Scope } from '../../../../src/domain/lists.js';
import { utcDay } from '../../../../src/lib/durations.js';
import type { KeyLimits, KeyRecord } from '../../../../src/ports/accounts.js';
import { Card, FormError } from '../../kit/signed-in/parts.js';

/** The input exactly as it was typed. */
export interface LimitsInput {
  readonly scopes: readonly Scope[];
  readonly allowedFrom: string;
  /** A day, or the empty text. */
  readonly expires: string;
}

export const toLimitsInput = ({ scopes, allowedFrom, expiresAt }: KeyRecord): LimitsInput => ({
  scopes: scopes ?? SCOPES,
  allowedFrom: allowedFrom?.join(' ') ?? '',
  expires: expiresAt === null ? '' : utcDay(Date.parse(expiresAt)),
});

/** The most characters of an invalid list that are put back into the field. */
const LONGEST = 2000;

export const limitsIn = (form: URLSearchParams): LimitsInput => ({
  scopes: SCOPES.filter((scope) => form.get(`read-${scope}`) === '1'),
  allowedFrom: (form.get('allowed_from') ?? '').slice(0, LONGEST),
  expires: form.get('expires') ?? '',
});

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

/** What a key may read, from where, and until when. */
export const LimitsCard = ({
  record,
  typed,
  error,
}: {
  record: KeyRecord;
  typed: LimitsInput;
  error: string | null;
}) => (
  <Card
    id="limits"
    title="Limits"
    lead="What this key may read, from where, and until when. What it may not do is refused, free. Changes take effect within seconds, and go on with a rotated key."
  >
    <form method="post" action={`/dashboard/keys/${record.keyId}/limits`} class="row-form">
      <fieldset class="checks">
        <legend>May read</legend>
        {SCOPES.map((scope) => (
          <label key={scope}>
            <input type="checkbox" name={`read-${scope}`} value="1" checked={typed.scopes.includes(scope)} />{' '}
            {scopeName(scope)}
          </label>
        ))}
      </fieldset>
      <div class="field grow">
        <label for="allowed_from">IP addresses or networks (empty: anywhere)</label>
        <input
          id="allowed_from"
          name="allowed_from"
          type="text"
          value={typed.allowedFrom}
          maxLength={LONGEST}
          autocomplete="off"
          spellcheck={false}
          placeholder="192.0.2.0/24 2001:db8::/32"
          {...(error === null ? {} : { 'aria-describedby': 'limits-error' })}
        />
      </div>
      <div class="field">
        <label for="expires">Last day (UTC; empty: none)</label>
        <input id="expires" name="expires" type="date" value={typed.expires} />
      </div>
      <button type="submit" class="button primary">
        Save limits
      </button>
    </form>
    <FormError id="limits-error" message={error} />
    <p class="soft small">
      Up to {MOST_NETWORKS} networks. The account's own data, such as its balance, is open to every key of it.
    </p>
  </Card>
);
