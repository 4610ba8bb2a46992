import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import type { Line } from '../../kit/postgres/line.js';
import { lineTo } from '../../kit/postgres/line-to.js';
import { type Arena, openArena } from './arena.js';
import type { Attack } from './attack.js';
import { judge } from './judge.js';
import type { Mount } from './service.js';

/** A busy machine delays an innocent once; a service that can be slowed does so every time. */
const TRIES = 3;
const SLOW_MS = 120_000;

/** Runs each attack against one running service that innocents use at the same time. */
export function describeAttacks(mount: Mount, attacks: readonly Attack[]): void {
  describe(`beside an attack on the service over ${mount}, others are served`, () => {
    let [database, line, arena] = [] as unknown as [FreshDatabase, Line, Arena];
    beforeAll(async () => {
      database = await freshDatabase();
      const reached = await lineTo(database);
      line = reached.line;
      arena = await openArena({ sql: database.sql, url: reached.url }, mount);
    }, SLOW_MS);
    afterAll(async () => {
      await arena?.close();
      await line?.close();
      await database?.drop();
    });

    for (const attack of attacks) {
      test(attack.name, { timeout: SLOW_MS }, async () => {
        let late: readonly string[] = [];
        for (let round = 0; round < TRIES; round += 1) {
          const verdict = judge(await arena.try(attack));
          expect(verdict.wrong).toEqual([]);
          late = verdict.late;
          if (late.length === 0) break;
        }
        expect(late).toEqual([]);
      });
    }
  });
}
