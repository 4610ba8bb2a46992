/** A page as shown in side bars, on cards and in the search. */
export interface Entry {
  /**
   * A file in `docs/`, without `.md`; or a folder next to `docs/`, whose README is the page; or, for a page made from
   * something else, the last part of its address.
   */
  readonly name: string;
  /** Set if the page's own title does not fit in a side bar, or the page has no file. */
  readonly title?: string;
  /** A sentence on its card that helps to choose it. */
  readonly summary: string;
  /** Other words that readers type to find this page (key `''`) or one of its sections (its anchor as the key). */
  readonly finds?: Readonly<Record<string, string>>;
  /** Replaces the weight of its group. */
  readonly weight?: number;
}

/** A part of the documentation, for one kind of reader. */
export interface Group {
  /** Its anchor on the first page. */
  readonly id: string;
  readonly title: string;
  /** A sentence below the title. */
  readonly lead: string;
  /** Whether the examples call this service, and therefore show its own address. */
  readonly isForCallers: boolean;
  /** A factor for the search, besides how well a page matches. */
  readonly weight: number;
  /** In reading order, which is the order of the README; a test compares the two. */
  readonly parts: readonly { readonly title: string; readonly entries: readonly Entry[] }[];
}

/** Pages that are made from routes and from the schema. */
export const API = 'api';
export const TYPES = 'types';

const USING: Group = {
  id: 'using-perch',
  title: 'Using Perch',
  lead: 'Read profiles, tweets, timelines and lists, and know what each call costs.',
  isForCallers: true,
  weight: 1,
  parts: [
    {
      title: 'Start',
      entries: [
        {
          name: 'quickstart',
          summary: 'From an account to a first call, a page of tweets, an error and a budget, in five minutes.',
          finds: { '': 'getting started tutorial first call hello world begin' },
        },
        {
          name: 'authentication',
          summary:
            'Get an API key, send it, check it, and replace it. Sign-in with OAuth for apps that cannot hold one.',
          finds: {
            '': 'auth api key login credentials token secret',
            'get-a-key': 'create new api key',
            'send-the-key': 'bearer token header x-api-key authorization',
            'keep-it-secret': 'rotate key leaked key revoke key expire',
            'oauth-for-apps-that-cannot-hold-a-key': 'oauth 2.0 pkce third party',
          },
        },
        {
          name: 'testing',
          summary: 'Free test keys that read invented data, with handles that fail in every way you need to handle.',
          finds: { '': 'sandbox free trial ci mock demo test keys' },
        },
      ],
    },
    {
      title: 'Interfaces',
      entries: [
        {
          name: 'graphql',
          title: 'GraphQL',
          summary:
            'Queries, nested lists, budgets, retries and persisted operations. Client caches of Apollo, urql and Relay.',
          finds: { '': 'graphiql query fragment', 'client-caches': 'apollo urql relay', 'persisted-operations': 'apq' },
        },
        {
          name: API,
          title: 'REST API reference',
          summary: 'Every endpoint with its price, parameters, responses and samples, and a form to call it.',
          finds: { '': 'openapi swagger endpoints json yaml' },
        },
        {
          name: 'rest',
          title: 'REST on one page',
          summary: 'All endpoints and objects in one document, with default and maximum page sizes.',
          finds: { 'at-a-glance': 'count page size maximum', objects: 'fields schema' },
          // The explanations of what it lists are on other pages.
          weight: 0.4,
        },
        {
          name: TYPES,
          summary: 'Every type and field of the GraphQL schema, with its arguments and its price.',
          finds: { '': 'graphql schema introspection sdl' },
        },
        {
          name: 'agents',
          title: 'MCP for agents',
          summary: 'Connect Claude, Cursor, VS Code or your own agent over MCP: every read is a tool.',
          finds: {
            '': 'llm ai model context protocol tools',
            connect: 'claude cursor vs code chatgpt codex gemini windsurf install',
            'signing-in-with-oauth': 'dynamic client registration',
          },
        },
      ],
    },
    {
      title: 'Guides',
      entries: [
        {
          name: 'pricing',
          summary: 'What each item costs, cached and fresh; packs, rate limits, estimates, budgets and receipts.',
          finds: {
            '': 'cost price tweet profile credits money cache cached how long ttl fresh billing',
            'before-you-pay': 'estimate dry run quote',
            'budgets-and-caps': 'budget max_credits spending limit spend cap',
            packs: 'buy credits plans expire top up',
            'rate-limits': 'rate limit requests per second rps qps throttling quota',
            'when-you-are-charged': 'invoice receipt usage statement bill',
            'payments-and-refunds': 'refund money back chargeback dispute card',
          },
        },
        {
          name: 'cursors',
          title: 'Pagination with cursors',
          summary: 'How to page through a list: exact page sizes, cursors, the end of a list, and only what is new.',
          finds: {
            '': 'pagination paging paginate next page offset scroll',
            'the-end': 'last page',
            'a-whole-list': 'loop all items everything iterate',
            'only-what-is-new': 'since newer poll polling monitor follow incremental new posts',
          },
        },
        {
          name: 'live',
          title: 'Follow an account or a search',
          summary: 'Streams that deliver every new post once and soon, and cost nothing while there is none.',
          finds: {
            '': 'stream streaming live realtime real-time monitor monitoring watch subscribe push events webhook alternative',
            'what-it-sends': 'server-sent events sse heartbeat eventsource',
            'come-back': 'last-event-id reconnect resume missed',
            'in-graphql': 'subscription subscriptions graphql-sse websocket',
            'behind-a-proxy': 'buffering x-accel-buffering',
          },
        },
        {
          name: 'search',
          summary: 'Find tweets and people by words, phrases and operators such as from:, since: and min_faves:.',
          finds: {
            '': 'query find tweets keyword hashtag',
            operators: 'search operators syntax advanced filter from since until lang',
          },
        },
        {
          name: 'errors',
          summary: 'The shape of every error, each code with its status, and what to do about it.',
          finds: {
            '': 'error codes status failures exceptions',
            missing_key: '401 unauthorized',
            invalid_key: '401 unauthorized',
            rate_limited: '429 too many requests throttled retry-after',
            no_credits: '402 payment required insufficient balance run out of credits',
            bad_request: '400 invalid parameter',
            not_found: '404 deleted suspended private protected',
            access_denied: '403 forbidden',
            upstream_error: '503 unavailable timeout',
          },
        },
        {
          name: 'clients',
          summary:
            'The TypeScript and Python clients, and how to set up curl, axios, Apollo, Postman and thirty others.',
          finds: {
            '': 'sdk library package client libraries typescript javascript node go php ruby java',
            python: 'requests httpx aiohttp',
            'repeating-calls': 'retry retrying idempotency backoff',
          },
        },
        {
          name: 'clients/typescript',
          title: 'TypeScript client',
          summary: 'Install it from this service: typed REST, and GraphQL with types from the text of the query.',
          finds: { '': 'npm install javascript node deno bun' },
          // The guides explain what both clients do.
          weight: 0.7,
        },
        {
          name: 'clients/python',
          title: 'Python client',
          summary: 'Install it from this service: one typed method per operation, over the standard library.',
          finds: { '': 'pip install wheel' },
          weight: 0.7,
        },
        {
          name: 'accounts',
          summary: 'Keys, usage, credits and connected apps on your dashboard; alerts by email and webhook.',
          finds: {
            '': 'dashboard sign in sign up email passkey password usage csv key spend cap delete account',
            alerts: 'webhook webhooks notification signature low balance',
          },
        },
        {
          name: 'interface',
          title: 'What Perch promises',
          summary: 'The rules that callers can rely on, numbered, and what may change within a version.',
          finds: {
            '': 'contract specification guarantee',
            '9-versions': 'versioning stability compatibility',
            '92-what-may-change': 'breaking change backwards compatible',
            '93-the-end-of-a-version': 'deprecation deprecated sunset',
          },
          weight: 0.6,
        },
      ],
    },
  ],
};

const RUNNING: Group = {
  id: 'run-your-own',
  title: 'Run your own',
  lead: 'Start, configure and operate a Perch service on your machines.',
  isForCallers: false,
  weight: 0.7,
  parts: [
    {
      title: 'Set up',
      entries: [
        {
          name: 'going-to-production',
          summary: 'What a public service needs, step by step: TLS, mail, payments, backups and monitoring.',
          finds: {
            '': 'production checklist deploy hosting self-host go live',
            tls: 'tls https ssl certificate nginx caddy haproxy reverse proxy load balancer',
            secret: 'perch_secret pepper',
            mail: 'smtp email',
            payments: 'stripe card checkout test mode',
            backups: 'backup pg_dump pg_basebackup',
            metrics: 'monitoring prometheus metrics grafana healthcheck alerting logs traces opentelemetry',
            memory: 'container limit cgroup heap oom',
            'restoring-a-backup': 'restore pg_restore recovery',
            'with-docker-compose': 'docker compose container',
          },
        },
        {
          name: 'deploying',
          summary: 'Your own Postgres and Redis, systemd, many machines, fail-over, Kubernetes, backups and upgrades.',
          finds: {
            '': 'deploy install',
            'a-postgres-of-your-own': 'postgresql database',
            'many-processes-many-machines': 'redis workers cluster horizontal',
            'fail-over': 'high availability ha replica failover patroni standby',
            'three-addresses': 'replicas separate server for the corpus',
            upgrading: 'upgrade update new version migrate migration',
          },
        },
        {
          name: 'environment',
          summary: 'Every setting with its meaning, the values it takes and its default.',
          finds: {
            '': 'configuration config settings env',
            server: 'port host listen',
            'logs-metrics-and-traces': 'log level',
          },
        },
        {
          name: 'live-networks',
          summary: 'Read Bluesky, X or a Mastodon server: what each offers, requires, allows and costs.',
          finds: { '': 'twitter bluesky mastodon x api network', 'sooner-than-by-asking': 'jetstream websocket' },
        },
        {
          name: 'importing',
          title: 'Importing data',
          summary: 'Fill a network of your own from files: NDJSON, an X archive, or answers of the X API.',
          finds: { '': 'import upload csv archive corpus dataset ndjson' },
        },
      ],
    },
    {
      title: 'Operate',
      entries: [
        {
          name: 'command-line',
          summary: 'Accounts, keys, credits, exports and checks of a running service, command by command.',
          finds: {
            '': 'cli terminal perch command',
            'wallet-credit': 'grant give credits',
            'account-create': 'new customer user',
          },
        },
        {
          name: 'operator',
          summary: 'Customers, money, traffic and what reads earn, in the browser at /operator.',
          finds: { '': 'admin administration backoffice revenue freeze' },
        },
        {
          name: 'security',
          title: 'Security',
          summary: 'What is protected and how, the operator’s part, and every requirement of OWASP ASVS level 2.',
          finds: {
            '': 'owasp asvs compliance soc 2 gdpr encryption',
            'report-a-problem': 'vulnerability disclosure bug bounty',
            data: 'personal data privacy gdpr retention delete',
          },
        },
        {
          name: 'limits',
          summary: 'Every bound on requests, documents, memory and waiting work, with the setting that changes it.',
          finds: { '': 'limit maximum bounds quota', requests: 'body size payload url length' },
        },
        {
          name: 'performance',
          title: 'Performance',
          summary: 'What a cached read costs in time and memory, measured, and how to measure it on your machine.',
          finds: { '': 'latency throughput benchmark speed sizing' },
        },
        {
          name: 'scaling',
          title: 'Scaling',
          summary: 'How many machines a load takes, where the bottlenecks are, and how to widen each.',
          finds: { '': 'capacity sizing machines scale nodes' },
        },
      ],
    },
  ],
};

const CONTRIBUTING: Group = {
  id: 'contribute',
  title: 'Contribute',
  lead: 'How Perch is built and tested, and how to change it.',
  isForCallers: false,
  weight: 0.25,
  parts: [
    {
      title: 'How it works',
      entries: [
        { name: 'architecture', summary: 'Six principles, the life of a request, the modules, and where to start.' },
        { name: 'glossary', summary: 'The words of the domain, one for each thing.' },
        { name: 'decisions', summary: 'What was decided where the interface is silent, and why.' },
        { name: 'invariants', summary: 'What always holds, whatever fails, and how that is simulated.' },
        { name: 'reliability', summary: 'What Perch is tested against, and the command for each figure.' },
        { name: 'building', summary: 'How the JavaScript that runs is built from the sources.' },
        { name: 'dependencies', summary: 'What each package is for, who keeps it, and what would replace it.' },
      ],
    },
    {
      title: 'Change it',
      entries: [
        { name: 'adding-a-read', summary: 'A new list from its row to its documents, step by step.' },
        { name: 'adding-an-operator', summary: 'A new search operator, step by step.' },
        { name: 'adding-a-pack', summary: 'A new pack of credits, or another price, step by step.' },
        { name: 'networks', summary: 'What an adapter of another social network implements.' },
        { name: 'search-engines', summary: 'What a search engine for the corpus has to do.' },
      ],
    },
  ],
};

export const GROUPS: readonly Group[] = [USING, RUNNING, CONTRIBUTING];

export const entriesOf = ({ parts }: Group): Entry[] => parts.flatMap(({ entries }) => entries);

/** The pages of a group that have files, in reading order. */
export const filesOf = (group: Group): Entry[] => entriesOf(group).filter(({ name }) => name !== API && name !== TYPES);

/** Pages outside the documentation that answer questions which readers search for in it. */
export const SITE_ENTRIES: readonly (Entry & { readonly title: string })[] = [
  {
    name: '/pricing',
    title: 'Price calculator',
    summary: 'What your reads cost a month, the pack to buy for them, and how long it lasts.',
    finds: { '': 'calculate monthly cost plans compare' },
  },
  {
    name: '/changelog',
    title: 'Changelog',
    summary: 'What each version of Perch added, changed and fixed.',
    finds: { '': 'release notes releases news versions' },
  },
  {
    name: '/status',
    title: 'Status',
    summary: 'Whether the service works now, its availability day by day, and past incidents.',
    finds: { '': 'sla uptime availability outage down incident' },
  },
  {
    name: '/legal',
    title: 'Licence and terms',
    summary: 'The licence of the software, and the terms of use and privacy policy of this service’s operator.',
    finds: { '': 'terms of service privacy policy gdpr license mit contact support' },
  },
];
