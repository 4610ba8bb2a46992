/** What was just done, as the page that follows says it; the address carries the name alone. */
export const FLASH_MESSAGES = {
  'key-changed': 'Key saved.',
  'key-revoked': 'Key revoked. It stops working everywhere within seconds.',
  'client-revoked': 'App disconnected.',
  'session-ended': 'Session signed out.',
  'others-ended': 'All other sessions signed out.',
} as const;
