import type { AccountRecord } from '../ports/accounts.js';

/** Whether the account's owner sees the operator's pages, when signed in. A key of the account never does. */
export type IsOperator = (account: Pick<AccountRecord, 'accountId' | 'email'>) => boolean;

/**
 * Those whose mail address is named, in lower case: an account's address is proven by a link sent there, or was set by
 * an operator. Where nobody is named, a demo's own account.
 */
export const operatorCheck =
  (emails: readonly string[], demoAccountId: string | null): IsOperator =>
  ({ accountId, email }) =>
    emails.length > 0 ? email !== null && emails.includes(email.toLowerCase()) : accountId === demoAccountId;
