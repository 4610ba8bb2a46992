import { setTimeout as wait } from 'node:timers/promises';
import { digestText } from '../../../src/lib/digest.js';
import type { CheckMemory } from '../../../src/ports/network.js';
import type { Sql } from '../sql.js';

/** How often to look whether another process has the answer, and the age at which a question counts as unanswered. */
const POLL_MS = 250;
const LONGEST_WAIT_SECONDS = 25;

/** Questions that a network's check has asked, in Postgres. */
export const createCheckMemory = (sql: Sql): CheckMemory => ({
  async claim(question, signal) {
    const key = digestText(question);
    for (;;) {
      await sql`delete from network_checks where asked_at < now() - interval '1 day'`;
      const [claimed] = await sql`
        insert into network_checks (question) values (${key}) on conflict do nothing returning question`;
      if (claimed !== undefined) return 'ask';
      const [found] = await sql<{ isGood: boolean | null; age: number }[]>`
        select is_good as "isGood", extract(epoch from now() - asked_at)::float8 as age
        from network_checks where question = ${key}`;
      if (found?.isGood === true) return 'good';
      if (found !== undefined && found.age > LONGEST_WAIT_SECONDS) return 'unknown';
      await wait(POLL_MS, undefined, { signal });
    }
  },

  async note(question, isGood) {
    const key = digestText(question);
    if (isGood) await sql`update network_checks set is_good = true where question = ${key}`;
    else await sql`delete from network_checks where question = ${key}`;
  },
});
