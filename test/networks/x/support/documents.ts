/** X's own descriptions of its interface, each with its vocabulary. */
export const DOCUMENTS = [
  ['tweet', 'contracts/x-api-v2.2-166.openapi.json'],
  ['post', 'contracts/x-api-v2.openapi.json'],
] as const;
