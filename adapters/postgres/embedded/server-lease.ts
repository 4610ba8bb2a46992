import postgres from 'postgres';

/** The number of the lock that every process using the embedded server holds. */
const LEASE_LOCK = 0x70657263;

/** A process's lease on the embedded server. */
export interface ServerLease {
  /**
   * Resolves when the lease is gone: the server has closed the connection, the server has ended, or the lease was
   * released.
   */
  readonly lost: Promise<void>;
  /** Releases the lease; runs `last` and resolves true when no other process has one. */
  release(last: () => Promise<void>): Promise<boolean>;
}

/**
 * Takes a lease. It is a session lock, so a process that dies releases it. The last process to leave gets the lock
 * exclusively and shuts the server down; meanwhile, newcomers wait for the lock, lose their connection and start the
 * server again.
 */
export async function acquireLease(socketFolder: string): Promise<ServerLease> {
  let close = (): void => {};
  const lost = new Promise<void>((resolve) => {
    close = resolve;
  });
  const sql = postgres({
    host: socketFolder,
    port: 5432,
    username: 'perch',
    database: 'postgres',
    max: 1,
    max_lifetime: null,
    connect_timeout: 5,
    onnotice: () => {},
    onclose: () => close(),
  });
  try {
    await sql`select pg_advisory_lock_shared(${LEASE_LOCK})`;
    const [found] = await sql`select 1 from pg_database where datname = 'perch'`;
    if (found === undefined) await sql`create database perch`.catch(ignoreExisting);
  } catch (error) {
    await sql.end({ timeout: 0 });
    throw error;
  }
  // Otherwise the driver would reconnect, without the lock.
  void lost.then(() => sql.end({ timeout: 0 }));
  return {
    lost,
    async release(last) {
      let alone = false;
      try {
        await sql`select pg_advisory_unlock_shared(${LEASE_LOCK})`;
        const [row] = await sql`select pg_try_advisory_lock(${LEASE_LOCK}) as alone`;
        alone = row?.alone === true;
      } catch {
        // The server is already gone: there is nothing to release.
      }
      if (alone) await last();
      await sql.end({ timeout: 0 });
      return alone;
    },
  };
}

function ignoreExisting(error: unknown): void {
  // 42P04, or 23505 when two processes create it at the same moment.
  if (!(error instanceof postgres.PostgresError) || !['42P04', '23505'].includes(error.code)) throw error;
}
