/** What was just done, as shown on the next page; the address contains only the message's name. */
export const FLASH_MESSAGES = {
  'key-changed': 'Key saved.',
  'key-shown': 'A key is shown only once, right after it was made. If you did not copy it, rotate it.',
  'key-revoked': 'Key revoked. It stops working everywhere within seconds.',
  'client-revoked': 'App disconnected.',
  'session-ended': 'Session signed out.',
  'others-ended': 'All other sessions signed out.',
} as const;
