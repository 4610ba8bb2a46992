import { toCredits } from '../../../../src/domain/credits.js';
import type { CapPeriod, KeyRecord } from '../../../../src/ports/accounts.js';
import { InputField, SelectField } from '../../kit/signed-in/fields.js';
import { Day, type FormFault } from '../../kit/signed-in/parts.js';
import { LONGEST_NAME } from '../frame/names.js';
import type { KeyInput } from './key-forms.js';

/** Only uses of the last year are looked up. */
export const LastUse = ({ record, day }: { record: KeyRecord; day: string | undefined }) => {
  if (day !== undefined) return <Day at={day} />;
  return <span class="soft">{record.spent === 0 ? 'never' : 'over a year ago'}</span>;
};

const CHOICES: readonly [CapPeriod | 'none', string][] = [
  ['none', 'No cap'],
  ['day', 'Per day (UTC)'],
  ['month', 'Per calendar month (UTC)'],
  ['total', 'In total'],
];

/** The form's fields for name and cap, each with its error. */
export const KeyFields = ({ typed, fault }: { typed: KeyInput; fault: FormFault | null }) => (
  <>
    <InputField
      name="name"
      label="Name"
      grow
      value={typed.name}
      maxLength={LONGEST_NAME}
      required
      dir="auto"
      fault={fault}
    />
    <SelectField name="period" label="Spend cap" value={typed.period} options={CHOICES} fault={fault} />
    <InputField
      name="amount"
      label="Credits (if capped)"
      inputMode="decimal"
      value={typed.amount}
      placeholder="500"
      fault={fault}
    />
  </>
);

export const KEY_FIELDS: readonly string[] = ['name', 'period', 'amount'];

/** A key's values as its form shows them. */
export const toKeyInput = ({ name, cap }: Pick<KeyRecord, 'name' | 'cap'>): KeyInput => ({
  name,
  period: cap?.period ?? 'none',
  amount: cap === null ? '' : String(toCredits(cap.amount)),
});
