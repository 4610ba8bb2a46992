import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commandReference } from './command-reference.js';
import { environmentTables } from './environment-tables.js';
import { errorsPage } from './errors-page.js';
import { withPart } from './parts.js';
import { restPage } from './rest-page.js';
import { roomsTable } from './rooms-table.js';

const fileOf = (name: string): URL => new URL(`../../docs/${name}`, import.meta.url);
const page = (name: string): string => readFileSync(fileOf(name), 'utf8');

/** The pages of `docs/` that are made from the code, as a whole or in part, by name. */
export const generatedPages = (): Readonly<Record<string, string>> => ({
  'architecture.md': withPart(page('architecture.md'), 'rooms', roomsTable()),
  'command-line.md': withPart(page('command-line.md'), 'commands', commandReference()),
  'environment.md': withPart(page('environment.md'), 'variables', environmentTables()),
  'errors.md': errorsPage(),
  'rest.md': restPage(),
});

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, text] of Object.entries(generatedPages())) writeFileSync(fileOf(name), text);
}
