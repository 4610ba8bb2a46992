import { request } from 'node:http';

/** A task of the process that opens streams and follows lists. */
export type FollowTask =
  | { readonly open: { readonly url: string; readonly keys: readonly string[]; readonly streams: readonly Stream[] } }
  | { readonly next: { readonly items: number; readonly withinMs: number } }
  | { readonly close: true };

/** The users whose timelines one stream follows. */
type Stream = readonly string[];

/** The result of a task: the followed lists, or when items arrived, in milliseconds after the first of them. */
export type Followed =
  | { readonly following: number }
  | { readonly arrivalsMs: readonly number[]; readonly credits: number };

/** The number of streams that are opened at a time. */
const AT_ONCE = 25;

/** Follows lists in a separate process, one task at a time. */
export function createFollowers(): (task: FollowTask) => Promise<Followed> {
  const ends: (() => void)[] = [];
  let arrived: (atMs: number, credits: number) => void = () => {};

  const open = (url: string, key: string, users: Stream): Promise<void> =>
    new Promise((resolve, reject) => {
      const query = users.map((user) => `user=${user}`).join('&');
      const sent = request(`${url}/v1/live?${query}`, { headers: { 'x-api-key': key }, agent: false }, (response) => {
        let begun = 0;
        let rest = '';
        response.setEncoding('utf8').on('data', (text: string) => {
          const events = (rest + text).split('\n\n');
          rest = events.pop() ?? '';
          for (const event of events) {
            const [, name] = /^event: (\w+)/m.exec(event) ?? [];
            if (name === 'position' && ++begun === users.length) resolve();
            if (name === 'error') reject(new Error(event));
            if (name === 'items') arrived(performance.now(), Number(/"credits_charged":([\d.]+)/.exec(event)?.[1]));
          }
        });
        response.on('end', () => reject(new Error(`a stream ended: ${response.statusCode} ${rest}`)));
      });
      sent.on('error', reject).end();
      ends.push(() => sent.destroy());
    });

  return async (task) => {
    if ('open' in task) {
      const { url, keys, streams } = task.open;
      for (let from = 0; from < streams.length; from += AT_ONCE) {
        const some = streams.slice(from, from + AT_ONCE);
        await Promise.all(some.map((users, nth) => open(url, keys[(from + nth) % keys.length] ?? '', users)));
      }
      return { following: streams.flat().length };
    }
    if ('next' in task) {
      const { items, withinMs } = task.next;
      const arrivals: number[] = [];
      let credits = 0;
      await new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`${arrivals.length} of ${items} items arrived`)), withinMs);
        arrived = (atMs, charged) => {
          arrivals.push(atMs);
          credits += charged;
          if (arrivals.length < items) return;
          clearTimeout(late);
          resolve();
        };
      });
      return { arrivalsMs: arrivals.map((atMs) => atMs - (arrivals[0] ?? 0)), credits };
    }
    for (const end of ends.splice(0)) end();
    return { following: 0 };
  };
}
