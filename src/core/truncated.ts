/** Longest part of a caller's text in a message, characters. */
const MOST_SHOWN = 60;

/** As much of a text as may stand in a message. A character is never cut in two. */
export const truncated = (text: string, most = MOST_SHOWN): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}…`;

/** What a caller sent, as it may stand in a message: quoted, and no more of it than helps to recognise it. */
export const quoted = (text: string): string => JSON.stringify(truncated(text));
