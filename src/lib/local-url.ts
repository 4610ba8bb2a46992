/**
 * Listen addresses that mean all addresses, which browsers cannot open, and this machine's own address in their place.
 */
const CALLED: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The URL of a service that listens there, unless one is configured. */
export function localUrl(host: string, port: number): string {
  const name = CALLED[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
