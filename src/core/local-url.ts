/** What an address to listen on is called by this machine's own browsers: 0.0.0.0 and :: mean all, and lead nowhere. */
const CALLED: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Where a service that listens there is found, as far as nobody has said otherwise. */
export function localUrl(host: string, port: number): string {
  const name = CALLED[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
