/** An amount of credits as an integer number of thousandths. All arithmetic is done on these. */
export type Thousandths = number;

/**
 * Converts credits as written (at most three decimals) to thousandths. Throws RangeError on anything finer or unsafe.
 */
export function toThousandths(credits: number): Thousandths {
  const amount = Math.round(credits * 1000);
  if (!Number.isSafeInteger(amount) || Math.abs(amount / 1000 - credits) > 1e-9) {
    throw new RangeError(`${credits} is not a valid amount of credits: at most three decimals`);
  }
  return amount;
}

/** Converts thousandths to the JSON number shown: at most three decimals, no trailing noise (U12). */
export const toCredits = (amount: Thousandths): number => amount / 1000;

/** Parses a budget as a caller writes it: digits, at most three decimals. Undefined if it is not an amount. */
export function parseCredits(text: string): Thousandths | undefined {
  return /^[0-9]{1,12}(\.[0-9]{1,3})?$/.test(text) ? toThousandths(Number(text)) : undefined;
}
