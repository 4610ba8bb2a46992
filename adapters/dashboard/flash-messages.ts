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
} as const;
