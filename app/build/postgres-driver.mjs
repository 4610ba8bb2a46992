// Repairs of what the Postgres driver makes of a connection that breaks, as long as its releases do not have them (seen in
// 3.4.9; porsager/postgres, issues 1154 and 1208). Without them a rollback on a closed connection ends the whole process, and
// queries and connections are lost for good. The build puts the repaired driver into the program; tests use it, too.

/** The file of the package that is repaired. */
export const REPAIRED_FILE = /[\\/]postgres[\\/]src[\\/]connection\.js$/;

const REPAIRS = [
  {
    // What is left of a transaction goes to its own connection, which has closed, and not to the one that takes its place.
    from: `
    if (q.cancelled)
      return

    try {
`,
    to: `
    if (q.cancelled)
      return

    if (!socket) {
      queryError(q, Errors.connection('CONNECTION_CLOSED', options, socket))
      return true
    }

    try {
`,
  },
  {
    // What was still to be written goes with the connection. The next one would never set a timer while the old one stands.
    from: `
    incomings = null
    clearImmediate(nextWriteTimer)
`,
    to: `
    incomings = null
    clearImmediate(nextWriteTimer)
    chunk = nextWriteTimer = null
`,
  },
  {
    from: `
    clearImmediate(nextWriteTimer)
    if (socket) {
`,
    to: `
    clearImmediate(nextWriteTimer)
    chunk = nextWriteTimer = null
    if (socket) {
`,
  },
  {
    // Also after an error: what was sent between the error and the close was told of neither.
    from: `
    !hadError && (query || sent.length) && error(`,
    to: `
    ;(query || sent.length) && error(`,
  },
];

/** The text of that file, repaired. Throws where a release has changed it: see then whether the repair is still needed. */
export function repaired(text) {
  return REPAIRS.reduce((rest, { from, to }) => {
    const [before, after, ...more] = rest.split(from);
    if (after === undefined || more.length > 0) {
      throw new Error('The Postgres driver has changed: see whether app/build/postgres-driver.mjs is still needed.');
    }
    return `${before}${to}${after}`;
  }, text);
}
