import type { PersonRecord } from '../ports/accounts.js';

/** Whether a signed-in person may see the operator's pages. A key never gives access to them. */
export type IsOperator = (person: Pick<PersonRecord, 'personId' | 'email'>) => boolean;

/**
 * Operators are the persons with one of the mail addresses, which are in lower case. A person's address can be trusted:
 * it was proven by a link, or set by an operator. If no address is given, the owner of a demo's account, whose person
 * id is the account's id, is the operator.
 */
export const operatorCheck =
  (emails: readonly string[], demoAccountId: string | null): IsOperator =>
  ({ personId, email }) =>
    emails.length > 0 ? email !== null && emails.includes(email.toLowerCase()) : personId === demoAccountId;
