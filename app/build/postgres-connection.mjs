/** Repairs of the driver's connections, in the order in which they are made: each replaces a text that occurs once. */
export const OF_CONNECTION = [
  {
    // A host that does not answer is skipped like one that refuses, instead of failing the query.
    from: `
    errored(Errors.connection('CONNECT_TIMEOUT', options, socket))
    socket.destroy()
`,
    to: `
    error(Errors.connection('CONNECT_TIMEOUT', options, socket))
    socket.destroy()
`,
  },
  {
    // A cancel request goes to the host that runs the query, not to the first one.
    from: `
    socket.connect(port[hostIndex], host[hostIndex])
`,
    to: `
    backend.host = hostIndex
    socket.connect(port[hostIndex], host[hostIndex])
`,
  },
  {
    from: `
  async function cancel({ pid, secret }, resolve, reject) {
    try {
`,
    to: `
  async function cancel({ pid, secret, host = 0 }, resolve, reject) {
    try {
      hostIndex = host
`,
  },
  {
    // A connection that was to execute a cancelled query is free for the next one, not lost to the pool.
    from: `
    if (q.cancelled)
      return

    try {
`,
    to: `
    if (q.cancelled)
      return true

    try {
`,
  },
  {
    // Tells adapters/postgres/sql.ts that the driver is repaired. If no host is a standby, hosts that were skipped
    // because they are primaries are tried again; the driver would leave out the first of them.
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
    // Drops data not yet written when the connection closes: the next connection would never set its write timer while
    // the old one is set. Also drops an error not yet reported, such as that the server shuts down: it would fail the
    // first query of the next connection, and leave that connection open without checking whether it leads to the
    // primary.
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
    // Also drops the query that was already rejected because its connection closed, and ends the wait for its end.
    from: `
    closedTime = performance.now()
    hadError && `,
    to: `
    query = results = null
    ended && (ended(), ending = ended = null)
    closedTime = performance.now()
    hadError && `,
  },
  {
    // A reserved connection that was to end meanwhile, because of its age or its pool, ends when it is released. Its pool
    // would have waited for that forever.
    from: `
    terminate,
    execute,
`,
    to: `
    terminate,
    free: () => ending && !query && sent.length === 0 ? terminate() : onopen(connection),
    execute,
`,
  },
  {
    // A socket passed in that is not connected yet is treated like the driver's own, so that it can be watched.
    from: `
    if (options.socket)
      return`,
    to: `
    if (options.socket && !socket.pending)
      return`,
  },
  {
    // With several hosts, if a connection broke during its first query, that query was never answered, because the
    // connection still counted as looking for a host.
    from: `
    if (connection.queue === queues.connecting && options.host[retries + 1])
`,
    to: `
    if (initial && hasNext(options, retries + 1))
`,
  },
  {
    // Tries the next host, too, when a server refuses the connection because it is starting or stopping.
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
    // Also after an error, because queries sent between the error and the close would never be answered.
    from: `
    !hadError && (query || sent.length) && error(`,
    to: `
    ;(query || sent.length) && error(`,
  },
  {
    // The connection closed before it could be used (1193): the driver would reconnect at once, without end, and never
    // answer the query. Now each host is tried once; then the query is rejected, and the next connection waits as after
    // any close.
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
    // A query that cannot be sent, such as one with an undefined parameter, fails alone. While another was in progress,
    // the driver rejected that one, and neither this query nor any later one on the connection was ever answered.
    from: `
      query
        ? sent.push(q)
        : (query = q, query.active = true)

      build(q)
      return write(toBuffer(q))
`,
    to: `
      build(q)
      const message = toBuffer(q)
      query
        ? sent.push(q)
        : (query = q, query.active = true)

      return write(message)
`,
  },
  {
    // An idle connection is freed by the answer to the Sync.
    from: `
      sent.length === 0 && write(Sync)
      errored(error)
`,
    to: `
      query || (query = q, write(Sync))
      queryError(q, error)
`,
  },
  {
    // A BEGIN reserves its connection even if it fills the socket or the pipeline (1189).
    from: `
      return write(message)
        && !q.describeFirst
        && !q.cursorFn
        && sent.length < max_pipeline
        && (!q.options.onexecute || q.options.onexecute(connection))
`,
    to: `
      const hasRoom = write(message)
      q.options.onexecute && q.options.onexecute(connection)
      return hasRoom
        && !q.describeFirst
        && !q.cursorFn
        && sent.length < max_pipeline
        && !q.options.onexecute
`,
  },
  {
    // A query that failed after some of its rows leaves their number behind, and the rows of the next query came after
    // as many holes (1181). The next query may be the first one of the next connection.
    from: `
    query = results = errorResponse = null
    result = new Result()
`,
    to: `
    query = results = errorResponse = null
    result = new Result()
    rows = 0
`,
  },
  {
    // A prepared query that has to be sent again, because its result has changed, is given to the pool like a new one,
    // and sent as a whole, since the types of its parameters are known. The driver sent it in two parts, behind a query that
    // may have been sent in part, so that queries of other callers got its rows.
    from: `
    q.retried = error
    execute(q)
`,
    to: `
    q.retried = error
    q.active = false
    q.state = null
    q.cancelled ? queryError(q, error) : q.handler(q)
`,
  },
  {
    from: `
    q.prepared = q.prepare && q.signature in statements
    q.describeFirst = q.onlyDescribe || (parameters.length && !q.prepared)
    q.statement = q.prepared
      ? statements[q.signature]
      : { string, types, name`,
    to: `
    q.prepared = q.prepare && !q.retried && q.signature in statements
    q.describeFirst = q.onlyDescribe || (parameters.length && !q.prepared && !q.retried)
    q.statement = q.prepared
      ? statements[q.signature]
      : { string, types: q.retried ? q.statement.types : types, name`,
  },
  {
    // The driver replaced the parameters of a query by their text, and made other values of that when it sent the query
    // again: false of true.
    from: `
      parameters[i] = x = type in options.serializers
`,
    to: `
      x = type in options.serializers
`,
  },
  {
    // A query that was cancelled while it waited behind another is cancelled in its turn. The driver passed it over, so
    // the next query got its rows, and every later one those of the query before it.
    from: `
    while (sent.length && (query = sent.shift()) && (query.active = true, query.cancelled))
      Connection(options).cancel(query.state, query.cancelled.resolve, query.cancelled.reject)

    if (query)
      return // Consider`,
    to: `
    if (sent.length) {
      query = sent.shift()
      query.active = true
      query.cancelled && Connection(options).cancel(query.state, query.cancelled.resolve, query.cancelled.reject)
    }

    if (query)
      return // Consider`,
  },
  {
    // A transaction's connection is not free between two of its statements, even if its socket has room.
    from: `
    !query && onopen(connection)
`,
    to: `
    !query && !connection.reserved && onopen(connection)
`,
  },
  {
    // A connection opened to be reserved goes to the caller that waits for it; before, it was lost to the pool for
    // good. So was one whose query was cancelled before it was open.
    from: `
      initial && !initial.reserve && execute(initial)
      options.shared.retries = retries = 0
      initial = null
      return
`,
    to: `
      const first = initial
      options.shared.retries = retries = 0
      initial = null
      if (first.cancelled)
        return onopen(connection)
      if (first.reserve)
        return first.reserve(connection)
      execute(first)
      return
`,
  },
  {
    // Reports it to the caller that ended a copy if the server refuses the end.
    from: `
    stream && (stream.destroy(err), stream = null)
`,
    to: `
    stream && (stream.destroy(err), stream = null)
    final && (final(err), final = null)
`,
  },
  {
    // A copy may fail before its caller has the stream. Without a listener the error would end the process.
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
    // A copy can be cancelled while it is read. The connection goes on when nobody reads the rest of it.
    from: `
    stream = new Stream.Readable({
      read() { socket.resume() }
    })
    query.resolve(stream)
`,
    to: `
    stream = new Stream.Readable({
      read() { socket && socket.resume() },
      destroy(error, callback) {
        stream === this && (stream = null)
        socket && socket.resume()
        callback(error)
      }
    })
    stream.on('error', () => {})
    query.resolve(stream)
    query.active = true
`,
  },
  {
    from: `
    stream && (stream.push(x.subarray(5)) || socket.pause())
`,
    to: `
    stream && (stream.push(x.subarray(5)) || stream.destroyed || socket.pause())
`,
  },
];
