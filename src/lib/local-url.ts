/** Listen addresses that mean "all addresses", which browsers cannot open, with the loopback address to use instead. */
const CALLED: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The URL of a service that listens on this host and port, for use if no URL is configured. */
export function localUrl(host: string, port: number): string {
  const name = CALLED[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
