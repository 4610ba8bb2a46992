/** A project of tests. The name of a file says which one it is in; `test/checks/projects.test.ts` checks that it is right. */
export interface Project {
  readonly name: 'checks' | 'unit' | 'postgres' | 'system';
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** Tests of the source itself: layers, sizes, names, regular expressions. `npm run check` runs them. */
const CHECKS = [
  'test/checks/structure.test.ts',
  'test/checks/projects.test.ts',
  'test/checks/patterns/patterns.test.ts',
];
/** Tests that use the Postgres of this run, and otherwise stay in this process. */
const POSTGRES = ['test/**/*.postgres.test.ts'];
/** The whole system: browsers, Redis, processes that are started and killed, packed packages, clients, attacks, load. */
const SYSTEM = ['test/**/*.system.test.ts'];

/**
 * `npm test` runs `unit` and `postgres`; `npm run test:all` runs all four. Within a turn they run in this order: files of
 * `unit` come last because they are short and keep the cores busy, so that all workers end at about the same time.
 */
export const PROJECTS: readonly Project[] = [
  { name: 'postgres', include: POSTGRES, exclude: [] },
  { name: 'checks', include: CHECKS, exclude: [] },
  // Tests that stay in this process, without a database.
  { name: 'unit', include: ['test/**/*.test.ts'], exclude: [...CHECKS, ...POSTGRES, ...SYSTEM] },
  { name: 'system', include: SYSTEM, exclude: [] },
];

/**
 * Files that take long. A project begins with them, so that none is left for its end. In `system`, files that mostly wait for
 * a clock run beside the attacks, which measure how long others wait. Browsers and the simulation of seeds, which keep two
 * cores busy, come after the attacks.
 */
export const LONG: readonly string[] = [
  ...CHECKS,
  'test/interfaces/live/streams.postgres.test.ts',
  'test/interfaces/live/watching.postgres.test.ts',
  'test/hostile/documents/search.test.ts',
  'test/pages/dashboard/html.test.ts',
  'test/networks/odd-object.test.ts',
  'test/interfaces/http/client-error.test.ts',
  'test/engine/read/pool/sessions.test.ts',
  'test/customers/account/name-lookups.test.ts',
  'test/cli/app/listening.test.ts',
  'test/docs/glossary.test.ts',
  'test/hostile/attacks.system.test.ts',
  'test/cluster/failover/patroni.system.test.ts',
  'test/cluster/nodes/watches.system.test.ts',
  'test/models/books/model.system.test.ts',
  'test/interfaces/live/push.system.test.ts',
  'test/interfaces/live/real-clients.system.test.ts',
  'test/cluster/failover/replica.system.test.ts',
  'test/hostile/receivers.system.test.ts',
  'test/cli/drain.system.test.ts',
  'test/engine/ports/redis-shared.system.test.ts',
  'test/cli/accounts.system.test.ts',
  'test/engine/ports/redis-outage.system.test.ts',
  'test/cli/export/export-faults.system.test.ts',
  'test/cli/database-killed.system.test.ts',
  'test/ops/soak/soak.system.test.ts',
  'test/hostile/places.system.test.ts',
  'test/cli/embed/packed.system.test.ts',
  'test/networks/corpus/demo.system.test.ts',
  'test/pages/walks/widths.system.test.ts',
  'test/models/simulation/seeds.system.test.ts',
  'test/pages/dashboard/browser.system.test.ts',
  'test/pages/site-browser.system.test.ts',
  'test/models/simulation/mutants.system.test.ts',
  'test/docs/adding-a-read.system.test.ts',
  'test/pages/walks/firefox.system.test.ts',
  'test/pages/graphiql-work.system.test.ts',
  'test/clients/tools/tools.system.test.ts',
  'test/ops/deploy/production.system.test.ts',
  'test/cli/serve.system.test.ts',
  'test/pages/graphiql-browser.system.test.ts',
  'test/docs/live.system.test.ts',
  'test/hostile/streams.system.test.ts',
  'test/pages/real-graphiql.system.test.ts',
  'test/cluster/nodes/streams.system.test.ts',
  'test/cli/export/export.system.test.ts',
  'test/networks/import/import-corpus.system.test.ts',
  'test/ops/deploy/build.system.test.ts',
];

/** Files that are not run again on a second version of Node, by the reason. None of `unit` is among them. */
export const ON_ONE_NODE: Readonly<Record<string, readonly string[]>> = {
  'the source itself is checked': CHECKS,
  'pages run in a browser, which does not depend on Node': [
    'test/pages/dashboard/*.system.test.ts',
    'test/interfaces/oauth/consent-page.system.test.ts',
    'test/pages/operator/*.system.test.ts',
    'test/pages/*.system.test.ts',
    'test/customers/sign-in/*.system.test.ts',
    'test/pages/walks/*.system.test.ts',
  ],
  'Postgres, Redis or a whole node is killed and comes back': [
    'test/cli/database-hung.system.test.ts',
    'test/cli/database-killed.system.test.ts',
    'test/cli/drain.system.test.ts',
    'test/ops/deploy/*.system.test.ts',
    'test/cluster/failover/*.system.test.ts',
    'test/cluster/faults/*.system.test.ts',
    'test/cluster/nodes/*.system.test.ts',
    'test/postgres/**/*.system.test.ts',
    'test/ops/soak/*.system.test.ts',
  ],
  'the test is about what Postgres does with our statements': [
    ...['account-list', 'costs', 'installation', 'migrate', 'released', 'status-history', 'upgrade'].map(
      (name) => `test/postgres/${name}.postgres.test.ts`,
    ),
    'test/postgres/ledger/*.postgres.test.ts',
    'test/postgres/routing/*.postgres.test.ts',
    'test/postgres/shards/*.postgres.test.ts',
    'test/postgres/posting/*.postgres.test.ts',
    // Without `corpus-scripts`, the search in every script: what counts as a word depends on Node, too.
    ...['index', 'lists', 'newer', 'objects', 'people', 'protected', 'search', 'search-pages', 'spans', 'thread'].map(
      (name) => `test/networks/corpus/corpus-${name}.postgres.test.ts`,
    ),
    'test/networks/corpus/corpus-scripts.system.test.ts',
    'test/networks/tweet-index/*.postgres.test.ts',
    'test/networks/import/*.postgres.test.ts',
    'test/networks/import/*.system.test.ts',
    'test/cli/import.system.test.ts',
    'test/cli/import-resume.system.test.ts',
    'test/cli/ledger-archive.system.test.ts',
  ],
  'pages are text, and tests of other interfaces read the same data': ['test/pages/**/*.postgres.test.ts'],
  'time is simulated, and only our own code runs on it': ['test/models/simulation/*.system.test.ts'],
  'calls are compared with a model or with another interface, which tests our own code': [
    'test/models/books/*.system.test.ts',
    'test/engine/metering/*.postgres.test.ts',
    'test/interfaces/mcp/parity.postgres.test.ts',
  ],
  'time, memory and files are measured, and our own code sets the bounds': [
    'test/cli/files-of-requests.system.test.ts',
    'test/hostile/**/*.system.test.ts',
    'test/networks/corpus/demo.system.test.ts',
    'test/networks/load.system.test.ts',
  ],
  'a text or a program in another language is checked': [
    'test/clients/python/*.system.test.ts',
    'test/docs/*.system.test.ts',
    'test/docs/readme/*.system.test.ts',
    'test/ops/supply/*.system.test.ts',
  ],
  'a protocol is checked, with external programs': [
    'test/interfaces/mcp/clients/conformance.system.test.ts',
    'test/networks/x/prism.system.test.ts',
    'test/networks/x/calls-left.system.test.ts',
    'test/clients/tools/*.system.test.ts',
    'test/interfaces/openapi/*.postgres.test.ts',
    'test/interfaces/openapi/*.system.test.ts',
    'test/engine/ports/redis-*.system.test.ts',
  ],
  'the test waits for the pace of a network': [
    'test/interfaces/live/push.system.test.ts',
    'test/interfaces/live/watching.postgres.test.ts',
  ],
  'our own code decides, and tests of the interfaces show how Node carries it': [
    'test/customers/**/*.postgres.test.ts',
    'test/rules/**/*.postgres.test.ts',
  ],
  'other tests show how a program starts on this Node': [
    'test/cli/accounts.system.test.ts',
    'test/cli/serve.system.test.ts',
    'test/cli/export/*.system.test.ts',
    'test/interfaces/graphql/example.system.test.ts',
    'test/ops/observing/crew-metrics.system.test.ts',
    'test/clients/typescript/packed.system.test.ts',
  ],
};
