import type { Billed } from '../../ports/network.js';
import type { Job } from './job.js';

/**
 * Counts one upstream call for the calls that lead these reads, and returns how what the network bills for it is shared
 * out: each read of a batch has its part of the objects. The call itself is the first one's.
 */
export function leadersPay(jobs: readonly Job[]): (billed: Billed) => void {
  const leaders = jobs.flatMap(({ waiters }) => [...waiters.members].slice(0, 1));
  for (const leader of new Set(leaders)) leader.called();
  leaders[0]?.spending?.called();
  return ({ kind, items }) => {
    const each = Math.floor(items / leaders.length);
    const more = items % leaders.length;
    for (const [index, { spending }] of leaders.entries()) {
      const own = each + (index < more ? 1 : 0);
      if (own > 0) spending?.billed({ kind, items: own }, index === 0 ? 1 : 0);
    }
  };
}
