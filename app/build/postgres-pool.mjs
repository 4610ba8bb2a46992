/** Repairs of the driver's pools, as in postgres-connection.mjs. */
export const OF_POOL = [
  {
    // A query that was cancelled before it got here has been rejected, and needs no connection.
    from: `
  function handler(query) {
    if (ending)
`,
    to: `
  function handler(query) {
    if (query.cancelled)
      return

    if (ending)
`,
  },
  {
    // A cancel request that does not reach the server is given up. Nobody handles its rejection, which would end the
    // process.
    from: `
  function cancel(query) {
    return new Promise((resolve, reject) => {
`,
    to: `
  function cancel(query) {
    return new Promise((resolve, _, reject = resolve) => {
`,
  },
  {
    // A caller that waits for a connection of its own waits for the one that is being opened, or for any that gets free.
    // The driver let it wait for both: when one failed, the other was lost to the pool, or the caller waited forever.
    from: `
        queries.push(query)
        closed.length && connect(closed.shift(), query)
`,
    to: `
        closed.length
          ? connect(closed.shift(), query)
          : queries.push(query)
`,
  },
  {
    // Once the connection of a transaction, or a reserved one, has closed, all later statements meant for it fail. The
    // driver ran them on the connection that replaced it: outside of any transaction, or in that of another caller, which
    // they could roll back. It never answered statements that were queued for the closed one.
    from: `
        new Promise((_, reject) => connection.onclose = reject)
`,
    to: `
        new Promise((_, reject) => connection.onclose = e => {
          lost = e
          while (queries.length)
            queries.shift().reject(e)
          reject(e)
        })
`,
  },
  {
    from: `
      , connection
      , prepare = null
`,
    to: `
      , connection
      , lost = null
      , prepare = null
`,
  },
  {
    from: `
        c.queue === full
          ? queries.push(q)
`,
    to: `
        lost
          ? q.reject(lost)
          : c.queue === full
          ? queries.push(q)
`,
  },
  {
    from: `
    move(c, reserved)
    c.reserved = () => queue.length
`,
    to: `
    let lost = null
    c.onclose = e => {
      lost = e
      while (queue.length)
        queue.shift().reject(e)
    }
    move(c, reserved)
    c.reserved = () => queue.length
`,
  },
  {
    // A closed connection is not given back to the pool, which has replaced it.
    from: `
      c.reserved = null
      onopen(c)
`,
    to: `
      if (lost)
        return
      c.onclose = c.reserved = null
      c.free()
`,
  },
  {
    from: `
      c.queue === full
        ? queue.push(q)
`,
    to: `
      lost
        ? q.reject(lost)
        : c.queue === full
        ? queue.push(q)
`,
  },
];
