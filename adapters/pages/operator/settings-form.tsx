import { figure } from '../../../src/domain/figures.js';
import { tierQps } from '../../../src/domain/tiers.js';
import type { AccountSettings, SettingsChange } from '../../../src/ports/operator.js';
import { faultAt, InputField, TextField } from '../kit/signed-in/fields.js';
import { Card } from '../kit/signed-in/parts.js';

/** The most that the form accepts; a larger number is probably a typing mistake. */
const MAX_QPS = 100_000;
const MAX_PAID_USD = 10_000_000;

const LONGEST_NOTE = 2000;

/** The input of both forms exactly as it was typed; null stands for the account's current setting. */
export interface SettingsInput {
  readonly qps: string | null;
  readonly paid: string | null;
  readonly note: string | null;
  /** The settings when the page was made, which a sale or another operator may have changed since. */
  readonly qpsShown: string | null;
  readonly paidShown: string | null;
  readonly noteShown: string | null;
}

export const UNTYPED: SettingsInput = {
  ...{ qps: null, paid: null, note: null },
  ...{ qpsShown: null, paidShown: null, noteShown: null },
};

export type SettingsErrors = Partial<Record<keyof SettingsInput, string>>;

export const settingsIn = (form: URLSearchParams): SettingsInput => ({
  qps: form.get('qps'),
  paid: form.get('paid'),
  note: form.get('note'),
  qpsShown: form.get('qps_shown'),
  paidShown: form.get('paid_shown'),
  noteShown: form.get('note_shown'),
});

type Read = { readonly change: SettingsChange } | { readonly errors: SettingsErrors };

/** A whole number as people write it; undefined for anything else. */
function wholeNumber(text: string, least: number, most: number): number | undefined {
  const digits = text.trim().replaceAll(',', '');
  const value = /^[0-9]{1,9}$/.test(digits) ? Number(digits) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

/** A rate; null: that of the tier. */
const rateIn = (text: string): number | null | undefined => (text.trim() === '' ? null : wholeNumber(text, 1, MAX_QPS));

/** The change that the form with the limits makes, or what is wrong with each field. */
export function readLimits({ qps, paid, qpsShown, paidShown }: SettingsInput): Read {
  const qpsOverride = rateIn(qps ?? '');
  const paidUsd = wholeNumber(paid ?? '', 0, MAX_PAID_USD);
  if (qpsOverride !== undefined && paidUsd !== undefined) {
    const qpsOverrideBefore = qpsShown === null ? undefined : rateIn(qpsShown);
    const paidUsdBefore = wholeNumber(paidShown ?? '', 0, MAX_PAID_USD);
    return {
      change: {
        ...(qpsOverride !== qpsOverrideBefore && { qpsOverride, qpsOverrideBefore }),
        ...(paidUsd !== paidUsdBefore && { paidUsd, paidUsdBefore }),
      },
    };
  }
  return {
    errors: {
      ...(qpsOverride === undefined && {
        qps: `Enter a whole number from 1 to ${figure(MAX_QPS)}, or nothing for the rate of the tier.`,
      }),
      ...(paidUsd === undefined && { paid: `Enter whole US dollars, from 0 to ${figure(MAX_PAID_USD)}.` }),
    },
  };
}

/** A note as it is stored. Browsers send line ends as CRLF. */
function noteIn(text: string): string | null {
  const note = text.replaceAll('\r\n', '\n').trim();
  return note === '' ? null : note;
}

/** The change that the form with the note makes, or what is wrong. */
export function readNote({ note: typed, noteShown }: SettingsInput): Read {
  const note = noteIn(typed ?? '');
  const isLong = [...(note ?? '')].length > LONGEST_NOTE;
  if (isLong) return { errors: { note: `A note can have at most ${figure(LONGEST_NOTE)} characters.` } };
  const noteBefore = noteShown === null ? undefined : noteIn(noteShown);
  return { change: note === noteBefore ? {} : { note, noteBefore } };
}

interface SettingsModel {
  readonly accountId: string;
  readonly settings: AccountSettings;
  readonly typed: SettingsInput;
  readonly errors: SettingsErrors;
}

/** The rate limit, and the settings that determine it. */
export const Limits = ({ accountId, settings, typed, errors }: SettingsModel) => (
  <Card id="limits" title="Rate limit" lead="The customer sees a change in their log.">
    <form method="post" action={`/operator/accounts/${accountId}/limits`} class="row-form">
      <input type="hidden" name="qps_shown" value={typed.qpsShown ?? settings.qpsOverride ?? ''} />
      <input type="hidden" name="paid_shown" value={typed.paidShown ?? settings.paidUsd} />
      <InputField
        name="qps"
        label="Requests per second"
        hint="limits-hint"
        inputMode="numeric"
        value={typed.qps ?? settings.qpsOverride ?? ''}
        placeholder={`${tierQps(settings.paidUsd)}, by its tier`}
        fault={faultAt('qps', errors.qps)}
      />
      <InputField
        name="paid"
        label="Counts as paid (US dollars)"
        hint="limits-hint"
        inputMode="numeric"
        value={typed.paid ?? settings.paidUsd}
        required
        fault={faultAt('paid', errors.paid)}
      />
      <p class="soft" id="limits-hint">
        Without a rate of its own, the account has the rate of its tier, which depends on the amount that counts as
        paid. ${figure(settings.boughtUsd)} was paid for packs, and you may add to it.
      </p>
      <button type="submit" class="button">
        Save
      </button>
    </form>
  </Card>
);

export const Note = ({ accountId, settings, typed, errors }: SettingsModel) => (
  <Card id="note-title" title="Note" lead="For operators: the customer never sees it.">
    <form method="post" action={`/operator/accounts/${accountId}/note`} class="row-form">
      <input type="hidden" name="note_shown" value={typed.noteShown ?? settings.note ?? ''} />
      <TextField
        name="note"
        label="What others should know about this account"
        grow
        hint="note-hint"
        rows={3}
        dir="auto"
        value={typed.note ?? settings.note ?? ''}
        fault={faultAt('note', errors.note)}
      />
      <p class="soft" id="note-hint">
        At most {figure(LONGEST_NOTE)} characters.
      </p>
      <button type="submit" class="button">
        Save
      </button>
    </form>
  </Card>
);
