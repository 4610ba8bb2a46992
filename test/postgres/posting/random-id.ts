import { randomUUID } from 'node:crypto';

/** A random id that contains no time before 2100, like all but one in seventy random ids. */
export const randomId = (): string => `f${randomUUID().slice(1)}`;
