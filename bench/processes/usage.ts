import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Resident memory of a process in MB, or undefined once it is gone. */
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

/** Ticks of Linux's accounting per second, on every machine there is. */
const TICKS = 100;

/** Processor time that a process has used so far, in seconds; NaN where the system doesn't say in /proc. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is a name in brackets that may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** Watches the resident memory of a process; `stop` gives what was seen, in MB, in the order of time. */
export function watchMemory(pid: number, everyMs = 200): { readonly stop: () => number[] } {
  const seen: number[] = [];
  const timer = setInterval(() => {
    void residentMb(pid).then((megabytes) => megabytes !== undefined && seen.push(megabytes));
  }, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return seen;
    },
  };
}
