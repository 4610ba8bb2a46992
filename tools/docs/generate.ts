import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { toolsTable } from '../../test/clients/tools/results.js';
import { callsTables } from './calls-table.js';
import { commandReference } from './command-reference.js';
import { environmentTables } from './environment-tables.js';
import { errorsPage } from './errors-page.js';
import { modulesTable } from './modules-table.js';
import { operatorsTable } from './operators-table.js';
import { withPart } from './parts.js';
import { packsTable, tiersTable } from './price-tables.js';
import { restPage } from './rest-page.js';

const fileOf = (name: string): URL => new URL(`../../docs/${name}`, import.meta.url);
const page = (name: string): string => readFileSync(fileOf(name), 'utf8');

/** The pages of `docs/` that are made from the code, as a whole or in part, by name. */
export const generatedPages = (): Readonly<Record<string, string>> => ({
  'architecture.md': withPart(page('architecture.md'), 'modules', modulesTable()),
  'clients.md': withPart(page('clients.md'), 'tools', toolsTable()),
  'command-line.md': withPart(page('command-line.md'), 'commands', commandReference()),
  'environment.md': withPart(page('environment.md'), 'variables', environmentTables()),
  'errors.md': errorsPage(),
  'live-networks.md': withPart(page('live-networks.md'), 'operators', operatorsTable()),
  'pricing.md': withPart(withPart(page('pricing.md'), 'packs', packsTable()), 'tiers', tiersTable()),
  'rest.md': restPage(),
});

/** `docs/networks.md`, whose tables are counted: every read is run over stand-ins of the networks. */
export const networksPage = async (): Promise<string> => withPart(page('networks.md'), 'calls', await callsTables());

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const pages = { ...generatedPages(), 'networks.md': await networksPage() };
  for (const [name, text] of Object.entries(pages)) writeFileSync(fileOf(name), text);
}
