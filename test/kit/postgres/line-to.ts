import type { FreshDatabase } from './database.js';
import { type Line, openLine } from './line.js';

/** A TCP line to this run's embedded server. */
export async function lineTo(database: FreshDatabase): Promise<{ line: Line; url: string }> {
  const { target } = database;
  if ('url' in target) {
    const url = new URL(target.url);
    const line = await openLine({ host: url.hostname, port: Number(url.port || 5432) });
    url.host = `127.0.0.1:${line.port}`;
    return { line, url: url.href };
  }
  const line = await openLine({ path: `${target.host}/.s.PGSQL.${target.port}` });
  return { line, url: `postgres://${target.username}@127.0.0.1:${line.port}/${target.database}` };
}
