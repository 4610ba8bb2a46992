/** What was just done, as shown on the next page; the address contains only the message's name. */
export const FLASH_MESSAGES = {
  'key-changed': 'Key saved.',
  'key-shown': 'A key is shown only once, right after it was made. If you did not copy it, rotate it.',
  'key-revoked': 'Key revoked. It stops working everywhere within seconds.',
  'alert-set': 'Alert set.',
  'secret-shown': 'A signing secret is shown only once. If you did not copy it, remove the alert and set it again.',
  'alert-removed': 'Alert removed.',
  'alert-tested': 'Test sent. Its result is shown with the alert.',
  'client-revoked': 'App disconnected.',
  'session-ended': 'Session signed out.',
  'others-ended': 'All other sessions signed out.',
  renamed: 'Name saved.',
  'email-link-sent': 'If the address can be used, a link is on its way to it. It works once, for 10 minutes.',
  'email-changed': 'Email address changed. All other sessions were signed out.',
} as const;
