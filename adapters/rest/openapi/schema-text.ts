/** Words in the GraphQL descriptions whose REST name differs. */
const REST_WORDS: readonly (readonly [from: string, to: string])[] = [
  ['`pageInfo.endCursor`', '`next_cursor`'],
  ['`pageInfo.sinceCursor`', '`since_cursor`'],
  ['`sinceCursor`', '`since_cursor`'],
  ['`after`', '`cursor`'],
  ['`unknownCounts`', '`unknown_counts`'],
  [' The same cursor as `next_cursor` in REST.', ''],
  [' The same cursor as `since_cursor` in REST.', ''],
  [', or by its id.', '.'],
  ['an id goes into `id`', 'a profile is read by its handle only'],
  ['items × unitPrice', 'items × unit_price'],
  [', paid for by the field that returns this page', ''],
  [', paid for by the field that returns this batch', ''],
  [' Its scalars are free once the profile is paid for; its lists are priced separately.', ''],
  [
    ' Its scalars, media and author are free once the tweet is paid for; other tweets and lists are priced.',
    ' Its media and author are part of it.',
  ],
];

/**
 * Converts a description of the schema to REST's terms. Leaves out that parts of a paid object are free, because that
 * is obvious in REST.
 */
export function restWords(description: string | null | undefined): string {
  const text = REST_WORDS.reduce((said, [from, to]) => said.replaceAll(from, to), description ?? '');
  // REST leaves out null members, so `null` becomes `absent`.
  return text.replace(/ Free\.$/, '').replaceAll(/\bnull (?=on|if|while)/g, 'absent ');
}

/** The endpoint's one-line summary: the first sentence of its description, up to a colon. */
export function endpointSummary(description: string): string {
  const [sentence = ''] = description.split(/\.(?:\s|$)/, 1);
  return sentence.split(': ', 1)[0] ?? sentence;
}

export const pascalCase = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

export const refTo = (kind: 'schemas' | 'responses' | 'headers' | 'parameters', name: string): { $ref: string } => ({
  $ref: `#/components/${kind}/${name}`,
});
