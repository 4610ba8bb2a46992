/** One spelling per address: what a dual-stack socket calls `::ffff:192.0.2.1` is 192.0.2.1. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
