/** What was just done, as the page that follows says it; the address carries the name alone. */
export const DONE = {
  'key-changed': 'The key is changed.',
  'key-revoked': 'The key is revoked. It stops working everywhere within seconds.',
  'client-revoked': 'The client is disconnected.',
  'session-ended': 'That session is signed out.',
  'others-ended': 'All other sessions are signed out.',
} as const;
