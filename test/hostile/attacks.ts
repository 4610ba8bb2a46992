import { CONNECTIONS } from './attacks/connections.js';
import { DOCUMENTS } from './attacks/documents.js';
import { INPUT } from './attacks/input.js';
import { MONEY } from './attacks/money.js';
import { SLOTS } from './attacks/slots.js';
import type { Attack } from './support/attack.js';

/** Every known way to take the service from others, one row each. */
export const ATTACKS: readonly Attack[] = [...DOCUMENTS, ...INPUT, ...MONEY, ...SLOTS, ...CONNECTIONS];
