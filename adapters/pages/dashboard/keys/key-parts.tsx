import { toCredits } from '../../../../src/domain/credits.js';
import type { CapPeriod, KeyRecord } from '../../../../src/ports/accounts.js';
import { Day, FieldError, type FormFault, wrong } from '../../kit/signed-in/parts.js';
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

/** The form's fields for name and cap, each with what is wrong with it. */
export const KeyFields = ({ typed, fault }: { typed: KeyInput; fault: FormFault | null }) => (
  <>
    <div class="field grow">
      <label for="name">Name</label>
      <input
        id="name"
        name="name"
        type="text"
        value={typed.name}
        maxLength={LONGEST_NAME}
        required
        autocomplete="off"
        dir="auto"
        {...wrong(fault, 'name')}
      />
      <FieldError fault={fault} field="name" />
    </div>
    <div class="field">
      <label for="period">Spend cap</label>
      <select id="period" name="period" {...wrong(fault, 'period')}>
        {CHOICES.map(([value, text]) => (
          <option key={value} value={value} selected={value === typed.period}>
            {text}
          </option>
        ))}
      </select>
      <FieldError fault={fault} field="period" />
    </div>
    <div class="field">
      <label for="amount">Credits (if capped)</label>
      <input
        id="amount"
        name="amount"
        type="text"
        inputMode="decimal"
        value={typed.amount}
        autocomplete="off"
        placeholder="500"
        {...wrong(fault, 'amount')}
      />
      <FieldError fault={fault} field="amount" />
    </div>
  </>
);

export const KEY_FIELDS: readonly string[] = ['name', 'period', 'amount'];

/** A key's values as its form shows them. */
export const toKeyInput = ({ name, cap }: Pick<KeyRecord, 'name' | 'cap'>): KeyInput => ({
  name,
  period: cap?.period ?? 'none',
  amount: cap === null ? '' : String(toCredits(cap.amount)),
});
