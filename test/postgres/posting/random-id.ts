import { randomUUID } from 'node:crypto';

/** A random id that is no time before 2100, as all but one in seventy are. */
export const randomId = (): string => `f${randomUUID().slice(1)}`;
