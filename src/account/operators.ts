import type { PersonRecord } from '../ports/accounts.js';

/** Whether a person sees the operator's pages, when signed in. A key never does. */
export type IsOperator = (person: Pick<PersonRecord, 'personId' | 'email'>) => boolean;

/**
 * Those whose mail address is named, in lower case: a person's address is proven by a link sent there, or was set by
 * an operator. Where nobody is named, who owns a demo's account: the person has its id.
 */
export const operatorCheck =
  (emails: readonly string[], demoAccountId: string | null): IsOperator =>
  ({ personId, email }) =>
    emails.length > 0 ? email !== null && emails.includes(email.toLowerCase()) : personId === demoAccountId;
