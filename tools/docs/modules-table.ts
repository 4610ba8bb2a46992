import { MODULES } from '../modules.js';
import { tableText } from './parts.js';

const listed = (modules: readonly string[]): string => modules.map((module) => `\`${module}\``).join(', ');

/** The table of modules in docs/architecture.md: the purpose of each, and what it may import. */
export function modulesTable(): string {
  const rows = Object.entries(MODULES).map(([module, { is, may, types = [] }]) => {
    const imports = [may.length === 0 ? '' : listed(may), types.length === 0 ? '' : `types of ${listed(types)}`];
    return [`\`${module}\``, is, imports.filter((part) => part !== '').join('; ') || 'nothing'];
  });
  return tableText(['Module', 'Purpose', 'May import'], rows);
}
