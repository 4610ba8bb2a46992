import type { Checks } from '../../src/documents/rules.js';

/** For a network that has every list and understands every query. */
export const ANYTHING_GOES: Checks = {
  cursor: () => {},
  cursorOf: () => {},
  query: () => {},
  impossible: () => undefined,
  serves: () => true,
};
