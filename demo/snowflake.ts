/**
 * Ids that encode their time: milliseconds since the network's epoch, then 22 bits for ids from the same millisecond.
 */
const EPOCH_MS = 1_288_834_974_657;

export const snowflake = (atMs: number, sequence = 0): string =>
  String((BigInt(atMs - EPOCH_MS) << 22n) | BigInt(sequence));

export const timeOfSnowflake = (id: string): number => Number(BigInt(id) >> 22n) + EPOCH_MS;
