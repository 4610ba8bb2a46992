import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { agentClients, agentPrompts } from '../../adapters/pages/kit/agent-clients.js';
import { DEMO_HANDLE } from '../../adapters/pages/kit/first-reads.js';
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

const EXAMPLE_URL = 'http://127.0.0.1:4000/mcp';

/** The setup of each client as a page shows it, without links, which would lead to the reader's own machine. */
const clientsPart = (): string =>
  agentClients(EXAMPLE_URL)
    .map(({ name, where, code }) =>
      code === null
        ? `${name}: add the URL ${where}.`
        : `${name}, ${where}:\n\n\`\`\`${code.language}\n${code.text}\n\`\`\``,
    )
    .join('\n\n');

const promptsPart = (): string =>
  agentPrompts(DEMO_HANDLE)
    .map((prompt) => `- "${prompt}"`)
    .join('\n');

/** The alert rules as a resource of the Prometheus operator. */
function prometheusRule(): string {
  const rules = page('../deploy/monitoring/perch.rules.yml').replace(/^#.*\n/gm, '');
  const head =
    '# Made from perch.rules.yml by `npm run docs`.\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\n';
  return `${head}metadata:\n  name: perch\nspec:\n${rules.replace(/^(?=.)/gm, '  ')}`;
}

/** The pages of `docs/` that are generated in whole or in part, by name, and other generated files. */
export const generatedPages = (): Readonly<Record<string, string>> => ({
  'agents.md': withPart(withPart(page('agents.md'), 'clients', clientsPart()), 'prompts', promptsPart()),
  'architecture.md': withPart(page('architecture.md'), 'modules', modulesTable()),
  'clients.md': withPart(page('clients.md'), 'tools', toolsTable()),
  'command-line.md': withPart(page('command-line.md'), 'commands', commandReference()),
  'environment.md': withPart(page('environment.md'), 'variables', environmentTables()),
  'errors.md': errorsPage(),
  'pricing.md': withPart(withPart(page('pricing.md'), 'packs', packsTable()), 'tiers', tiersTable()),
  'rest.md': restPage(),
  '../deploy/monitoring/prometheus-rule.yaml': prometheusRule(),
  'search.md': withPart(page('search.md'), 'operators', operatorsTable()),
});

/** `docs/networks.md`. Its calls are counted by running every read over stand-ins of the networks. */
export const networksPage = async (): Promise<string> => withPart(page('networks.md'), 'calls', await callsTables());

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const pages = { ...generatedPages(), 'networks.md': await networksPage() };
  for (const [name, text] of Object.entries(pages)) writeFileSync(fileOf(name), text);
}
