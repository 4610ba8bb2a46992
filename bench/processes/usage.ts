import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Resident memory of a process in MB, or undefined once it has ended. */
async function residentMb(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes =
    /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ??
    (await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]).then(
      ({ stdout }) => stdout.trim(),
      () => '',
    ));
  return kilobytes === '' ? undefined : Number(kilobytes) / 1024;
}

/** Ticks per second in Linux's accounting, the same on every machine. */
const TICKS = 100;

/** The fields of /proc/PID/stat from the third on, which is the state. Empty if the system has no such file. */
async function statOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is a name in brackets that may contain anything.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

const PARENT = 1;
const OWN = [11, 12] as const;
const OF_ENDED_CHILDREN = [13, 14] as const;

const secondsIn = (stat: readonly string[], fields: readonly number[]): number =>
  fields.reduce((sum, field) => sum + Number(stat[field]), 0) / TICKS;

/** CPU time of a process so far, in seconds; NaN if the system has no /proc. */
export const cpuSeconds = async (pid: number): Promise<number> => secondsIn(await statOf(pid), OWN);

/** The same with all its children, including those that have ended. */
export async function familyCpuSeconds(pid: number): Promise<number> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((name) => statOf(Number(name))));
  const children = stats.filter((stat) => stat[PARENT] === String(pid));
  const own = secondsIn(await statOf(pid), [...OWN, ...OF_ENDED_CHILDREN]);
  return children.reduce((sum, stat) => sum + secondsIn(stat, OWN), own);
}

/** Samples the resident memory of a process. `stop` returns the samples in MB, oldest first. */
export function watchMemory(pid: number, everyMs = 200): { readonly stop: () => number[] } {
  const seen: number[] = [];
  const timer = setInterval(() => {
    void residentMb(pid).then((megabytes) => megabytes !== undefined && seen.push(megabytes));
  }, everyMs).unref();
  return {
    stop() {
      clearInterval(timer);
      return seen;
    },
  };
}
