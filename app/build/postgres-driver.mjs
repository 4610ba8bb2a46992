// Repairs of what the Postgres driver makes of a connection that breaks, is full or is reserved, and of a copy that fails, as long
// as its releases do not have them (seen in 3.4.9; porsager/postgres, issues 1154, 1189, 1193 and 1208). Without them a rollback on
// a closed connection or a copy ends the whole process, queries and connections are lost for good, and statements run in a
// transaction of others. The build puts the repaired driver into the program; tests use it, too.

/** The file of the package that is repaired. */
export const REPAIRED_FILE = /[\\/]postgres[\\/]src[\\/]connection\.js$/;

const REPAIRS = [
  {
    // Tells adapters/postgres/sql.ts that all of this is there. Where no host is a standby, those that were passed over as
    // primaries get a second turn: the driver would leave out the first of them.
    from: `
import tls from 'tls'
`,
    to: `
import tls from 'tls'
globalThis[Symbol.for('perch.postgres-driver')] = 'repaired'
const hasNext = (options, tried) =>
  tried < options.host.length * (options.target_session_attrs === 'prefer-standby' ? 2 : 1)
`,
  },
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
    // So does an error that was not told yet, such as that the server shuts down: it would fail the next one's first query, and
    // leave that connection open without asking whether it leads to the primary.
    from: `
    incomings = null
    clearImmediate(nextWriteTimer)
`,
    to: `
    incomings = null
    clearImmediate(nextWriteTimer)
    chunk = nextWriteTimer = errorResponse = null
`,
  },
  {
    // The same goes for the query that was told that its connection has closed.
    from: `
    closedTime = performance.now()
    hadError && `,
    to: `
    query = results = null
    closedTime = performance.now()
    hadError && `,
  },
  {
    // A socket of ours that is not connected yet goes the way of the driver's own, so that it can be watched.
    from: `
    if (options.socket)
      return`,
    to: `
    if (options.socket && !socket.pending)
      return`,
  },
  {
    // With several hosts, the first query of a connection that breaks while it runs was never answered: the connection still
    // counted as one that looks for its host.
    from: `
    if (connection.queue === queues.connecting && options.host[retries + 1])
`,
    to: `
    if (initial && hasNext(options, retries + 1))
`,
  },
  {
    // A server that starts or stops refuses to serve: that is no reason not to try the next host.
    from: `
    } else {
      errored(Errors.postgres(parseError(x)))
    }
`,
    to: `
    } else if (!initial || !hasNext(options, retries + 1)) {
      errored(Errors.postgres(parseError(x)))
    }
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
  {
    // Closed before it could be used (1193): the driver would connect again at once, as often as that happens, and never answer
    // the query. Now each host is tried once; then the query is rejected, and the next connection waits as after any close.
    from: `
    if (initial)
      return reconnect()
`,
    to: `
    if (initial && hasNext(options, ++retries))
      return reconnect()

    retries = 0
    initial && errored(Errors.connection('CONNECTION_REFUSED', options, socket))
`,
  },
  {
    // A BEGIN reserves its connection even if it fills the socket or the pipeline (1189).
    from: `
      return write(toBuffer(q))
        && !q.describeFirst
        && !q.cursorFn
        && sent.length < max_pipeline
        && (!q.options.onexecute || q.options.onexecute(connection))
`,
    to: `
      const hasRoom = write(toBuffer(q))
      q.options.onexecute && q.options.onexecute(connection)
      return hasRoom
        && !q.describeFirst
        && !q.cursorFn
        && sent.length < max_pipeline
        && !q.options.onexecute
`,
  },
  {
    // Room in the socket of a transaction that is between two statements is not room for others.
    from: `
    !query && onopen(connection)
`,
    to: `
    !query && !connection.reserved && onopen(connection)
`,
  },
  {
    // A connection that was opened to be reserved goes to who waits for it. It was nobody's, and the pool never had it again.
    from: `
      initial && !initial.reserve && execute(initial)
      options.shared.retries = retries = 0
      initial = null
      return
`,
    to: `
      const isReserved = initial && initial.reserve
      initial && !isReserved && execute(initial)
      options.shared.retries = retries = 0
      initial = null
      return isReserved ? onopen(connection) : undefined
`,
  },
  {
    // That the server refuses the end of a copy is told to who ended it.
    from: `
    stream && (stream.destroy(err), stream = null)
`,
    to: `
    stream && (stream.destroy(err), stream = null)
    final && (final(err), final = null)
`,
  },
  {
    // A copy that fails before its stream has come to the code that asked for it: without a listener the error ends the process.
    from: `
        final = callback
        stream = null
      }
    })
`,
    to: `
        final = callback
        stream = null
      }
    })
    stream.on('error', () => {})
`,
  },
  {
    from: `
    stream = new Stream.Readable({
      read() { socket.resume() }
    })
`,
    to: `
    stream = new Stream.Readable({
      read() { socket.resume() }
    })
    stream.on('error', () => {})
`,
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
