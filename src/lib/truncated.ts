/** Longest part of a caller's text in a message, characters. */
const MOST_SHOWN = 60;

/** As much of a text as a message may contain. A character is never cut in two. */
export const truncated = (text: string, most = MOST_SHOWN): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}…`;

/** Text from a caller as a message shows it: quoted, and cut to what helps to recognise it. */
export const quoted = (text: string): string => JSON.stringify(truncated(text));
