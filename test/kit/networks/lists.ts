import { LIST_KINDS } from '../../../src/domain/lists.js';
import type { Network } from '../../../src/ports/network.js';

/** For a network that has all lists. */
export const EVERY_LIST = Object.fromEntries(LIST_KINDS.map((kind) => [kind, true])) as Network['lists'];
