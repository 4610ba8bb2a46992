import type { Config } from '../../src/config/config.js';
import { VERSION } from '../../src/domain/version.js';

/** Names the software and, where it is configured, a contact, to hosts that customers and clients choose. */
export const userAgentOf = ({ contact }: Pick<Config, 'contact'>): string =>
  `Perch/${VERSION}${contact === null ? '' : ` (+${contact})`}`;
