import { receiptOf, uuid } from './fixture-usage.js';

/** Every page, with what may be asked of it. */
export const PATHS = [
  '/dashboard',
  '/dashboard/usage?from=2026-11-21&to=2026-11-21&group=hour,key',
  '/dashboard/usage?from=2026-08-24&to=2026-11-21&group=day,endpoint,key',
  '/dashboard/usage?from=2026-11-21&to=2026-11-01',
  '/dashboard/keys?done=key-revoked',
  `/dashboard/keys/${uuid(101)}`,
  `/dashboard/keys/${uuid(100)}?hours=48`,
  '/dashboard/usage?hours=48',
  '/dashboard/connect',
  '/dashboard/credits',
  '/dashboard/credits?paid=cs_test_1',
  `/dashboard/credits/${uuid(302)}/receipt`,
  '/dashboard/receipts',
  `/dashboard/receipts?request_id=${receiptOf(4).requestId}`,
  '/dashboard/receipts?request_id=nonsense',
  '/dashboard/alerts',
  '/dashboard/clients',
  '/dashboard/security',
  '/dashboard/account',
  '/dashboard/account?done=email-link-sent',
  '/dashboard/account/email',
];
