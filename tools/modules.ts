/** The modules of the code and who may import whom: checked by `test/checks/structure.test.ts`, written into docs/architecture.md by `npm run docs`. */

export interface Module {
  /** What it is for, in a few words. */
  readonly is: string;
  /** What it may import: modules, single files, or all. */
  readonly may: readonly string[];
  /** Modules of which it may import types only. */
  readonly types?: readonly string[];
}

const ALL = ['app', 'src', 'schema', 'adapters', 'demo'];
const FACTS = ['src/domain', 'src/lib'];
const CORE = [...FACTS, 'src/ports'];
const SECRETS = ['src/access/key', 'src/access/secret'];
const NETWORK = [...CORE, 'adapters/networks/search', 'adapters/networks/upstream'];
const ENGINE = ['src/access', 'src/read', 'src/metering', 'src/account', 'src/billing', 'src/sign-in'];
/** What the callers of one process share over all interfaces. */
const SHARES = ['src/access/work-slots', 'src/access/processor-time'];
/** Pages and protocols for customers, over the account's services and in the frame of all pages. */
const CUSTOMERS = [
  ...CORE,
  'src/account',
  'src/billing',
  'src/sign-in',
  'src/oauth',
  'adapters/http',
  'adapters/pages/kit',
];

/** A file belongs to the first row whose name its path begins with. A module may always import itself. */
export const MODULES: Readonly<Record<string, Module>> = {
  'src/lib': { is: 'bounded containers, time, promises and text, for any program', may: [] },
  'src/domain': { is: 'facts and types: prices, tiers, packs, error codes, money, ids', may: ['src/lib'] },
  'src/ports': {
    is: 'what the engine needs from outside, as types: network, cache, ledger, accounts, mail, clock',
    may: [],
    types: FACTS,
  },
  'src/access': { is: 'keys, rate limits, and fair shares of the process', may: CORE },
  // Reads add lines to the receipt that they get.
  'src/read': {
    is: 'cached objects and pages, exact page sizes, cursors, the pool of upstream calls',
    may: CORE,
    types: ['src/metering'],
  },
  'src/metering': { is: 'receipts, what a call may spend, the one charge at the end', may: CORE },
  'src/account': { is: "an account's keys, usage, receipts and alerts", may: [...CORE, ...SECRETS] },
  'src/billing': { is: 'packs, sales, refunds and disputes', may: CORE },
  'src/sign-in': { is: 'sign-in links, passkeys, browser sessions', may: [...CORE, ...SECRETS, 'src/access/address'] },
  'src/oauth': { is: 'hosted clients: registration, consent, codes, tokens', may: [...CORE, ...SECRETS] },
  'src/figures': { is: 'sums for the operator: costs, traffic, status', may: CORE, types: ['src/metering'] },
  'src/documents': {
    is: 'GraphQL documents: parsed, checked, and priced before anything is read',
    may: [...CORE, 'src/read/subjects'],
    types: ['src/access', 'src/serve/call'],
  },
  // Resolvers get the account and its billing.
  'src/serve': {
    is: 'the steps of a request, from `Call` to `Outcome`',
    may: [...CORE, 'src/access', 'src/documents', 'src/figures', 'src/metering', 'src/read', 'src/account'],
    types: ['src/billing'],
  },
  'src/live': {
    is: 'lists that are followed: one read for all followers, a call and a charge for each batch',
    may: CORE,
    types: ['src/read', 'src/serve'],
  },
  'src/watches': {
    is: 'watches: lists that are followed for accounts, and what is new sent to webhooks',
    may: [...CORE, 'src/live', 'src/account', 'src/read/subjects'],
    types: ['src/serve'],
  },
  'src/config': {
    is: 'the environment, checked, as one frozen object',
    may: [...FACTS, 'src/read/lifetimes'],
  },
  app: {
    is: 'the composition root: opens everything, connects it, and closes it in reverse',
    may: [...ALL, 'clients/archives'],
  },
  schema: {
    is: 'the contract: GraphQL types with their prices, and one document per REST endpoint',
    may: [...FACTS, 'src/read/subjects', 'src/account/account'],
    types: [...ENGINE, 'src/ports'],
  },
  'adapters/http': {
    is: 'the HTTP server: limits, headers, and how failures are written',
    may: [
      ...FACTS,
      'src/serve',
      'src/access/rate-headers',
      'src/access/address',
      'src/live/feed',
      'src/live/refusals',
      ...SHARES,
    ],
    types: ['src/ports', 'src/figures', 'src/live', 'src/sign-in/sessions'],
  },
  'adapters/rest': {
    is: 'REST `/v1`, its OpenAPI document, and what is made of that: collections, and the clients to install',
    may: [
      ...FACTS,
      'clients/archives',
      'src/serve',
      'src/documents/rules',
      'schema',
      'adapters/http',
      'src/read/subjects',
      'src/live/budget',
    ],
    types: ['src/live', 'src/ports', 'src/watches'],
  },
  'adapters/pages/graphiql': {
    is: 'GraphiQL with prices',
    may: [...FACTS, 'adapters/http', 'adapters/pages/kit'],
  },
  'adapters/graphql': {
    is: 'GraphQL over HTTP: JSON requests, unusual ones as Yoga reads them, and the Mercurius mount; all run through serve',
    may: [...FACTS, 'src/serve', 'schema', 'adapters/http', 'src/live/budget'],
    types: ['src/live'],
  },
  // A tool has the same inputs and outputs as its endpoint.
  'adapters/mcp': {
    is: 'the Model Context Protocol: every REST endpoint as a tool',
    may: [...FACTS, 'src/serve', 'src/documents/rules', 'schema', 'adapters/http', 'adapters/rest'],
  },
  'adapters/metrics': {
    is: 'metrics for Prometheus',
    may: [...FACTS, 'adapters/http'],
    types: ['src/read/pool/health', 'src/ports'],
  },
  'adapters/telemetry': { is: 'traces, by OpenTelemetry', may: [...CORE, 'adapters/http'] },
  'adapters/pages/kit/signed-in': {
    is: 'pages of somebody who is signed in: routes, frame, parts',
    may: CUSTOMERS,
  },
  'adapters/pages/kit': { is: 'what all pages look like', may: [...FACTS, 'adapters/http'] },
  'adapters/pages/charts': { is: 'charts in pages, as SVG', may: FACTS, types: ['src/ports'] },
  'adapters/pages/site': { is: 'the public pages', may: [...FACTS, 'adapters/http', 'adapters/pages/kit'] },
  'adapters/pages/docs': {
    is: 'the documentation as pages of the service',
    may: [
      ...FACTS,
      'adapters/http',
      'adapters/pages/kit',
      'adapters/rest/routes',
      'adapters/rest/openapi/fields',
      'adapters/mcp/tools',
    ],
    types: ['adapters/rest', 'adapters/pages/site', 'src/ports'],
  },
  'adapters/postgres': {
    is: 'ledger, accounts and migrations in Postgres; the embedded server',
    may: CORE,
  },
  'adapters/redis': { is: 'what several processes share, in Redis', may: CORE },
  'adapters/memory': { is: 'the same ports for a single process', may: CORE },
  'adapters/stripe': { is: 'card payments', may: CORE },
  'adapters/mail': { is: 'mail by SMTP, or to the log', may: CORE },
  'adapters/client-documents': {
    is: 'what goes to addresses that others choose: documents of OAuth clients, webhooks',
    may: [...CORE, 'src/account/webhook-address'],
  },
  'adapters/oauth': { is: 'the OAuth endpoints and the consent page', may: CUSTOMERS },
  'adapters/pages/sign-in': { is: 'the sign-in pages', may: CUSTOMERS },
  // Passkeys are shown next to sessions.
  'adapters/pages/dashboard': {
    is: "the customers' dashboard",
    may: [...CUSTOMERS, 'src/access/address', 'adapters/pages/charts', 'adapters/pages/sign-in'],
    types: ['src/watches'],
  },
  'adapters/pages/operator': {
    is: "the operator's pages",
    may: [...CUSTOMERS, 'schema/list-documents', 'adapters/pages/charts'],
    types: ['adapters/pages/site/status'],
  },
  'adapters/networks/search': { is: 'the grammar of searches, for all networks', may: CORE },
  'adapters/networks/upstream': { is: 'HTTP and WebSockets to an upstream, for all networks', may: CORE },
  'adapters/networks/corpus': {
    is: 'your own data in Postgres, and the importer',
    may: [...CORE, 'adapters/networks/search', 'adapters/postgres/retry', 'adapters/postgres/time-limits'],
  },
  'adapters/networks/bluesky': { is: 'Bluesky', may: NETWORK },
  'adapters/networks/x': { is: 'X', may: NETWORK },
  'adapters/networks/mastodon': { is: 'a Mastodon server', may: NETWORK },
  demo: {
    is: 'the demo network: invented accounts, their posts, and handles that fail in known ways',
    may: CORE,
    types: ['adapters/networks/corpus/rows'],
  },
  // Commands for operators open the stores themselves.
  'adapters/cli': { is: 'the command line', may: ALL },
};

const isIn = (path: string, module: string): boolean =>
  path === module || path.startsWith(`${module}/`) || path.startsWith(`${module}.`);

export const moduleOf = (path: string): string | undefined => Object.keys(MODULES).find((module) => isIn(path, module));

export interface Step {
  readonly from: string;
  readonly to: string;
  readonly isTypeOnly: boolean;
}

export function isAllowed({ from, to, isTypeOnly }: Step): boolean {
  const module = moduleOf(from);
  const row = module === undefined ? undefined : MODULES[module];
  if (module === undefined || row === undefined) return false;
  return [module, ...row.may, ...(isTypeOnly ? (row.types ?? []) : [])].some((target) => isIn(to, target));
}
