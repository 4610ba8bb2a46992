import { ROOMS } from '../support/rooms.js';
import { tableText } from './parts.js';

const listed = (rooms: readonly string[]): string => rooms.map((room) => `\`${room}\``).join(', ');

/** The table of rooms in docs/architecture.md: what each is for, and what it may import. */
export function roomsTable(): string {
  const rows = Object.entries(ROOMS).map(([room, { is, may, types = [] }]) => {
    const imports = [may.length === 0 ? '' : listed(may), types.length === 0 ? '' : `types of ${listed(types)}`];
    return [`\`${room}\``, is, imports.filter((part) => part !== '').join('; ') || 'nothing'];
  });
  return tableText(['Module', 'Purpose', 'May import'], rows);
}
