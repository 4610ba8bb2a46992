import { refTo } from './schema-text.js';
import type { JsonSchema } from './types.js';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const address = (description: string): JsonSchema => ({ ...text(description), format: 'uri' });
const credits = (description: string): JsonSchema => ({ type: 'number', description });

const HEALTH: JsonSchema = { type: 'string', enum: ['ok', 'degraded', 'down'] };

/** Bodies of the endpoints that need no key. */
export const KEYLESS_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Service: {
    type: 'object',
    required: ['name', 'version', 'endpoints', 'links', 'prices'],
    properties: {
      name: text('The service.'),
      version: text('The version of the interface.'),
      network: text('The network being read.'),
      demo: { type: 'boolean', description: 'True if the data is the fictional demo network.' },
      endpoints: {
        type: 'object',
        description: 'The URL of each interface.',
        required: ['graphql', 'rest', 'mcp'],
        properties: { graphql: address('GraphQL.'), rest: address('Base URL of the REST API.'), mcp: address('MCP.') },
      },
      links: { type: 'object', description: 'Further reading.' },
      prices: { type: 'array', items: refTo('schemas', 'Price') },
    },
  },
  Price: {
    type: 'object',
    required: ['unit', 'items', 'miss', 'hit', 'bypass'],
    properties: {
      unit: text('The unit an item is priced as.'),
      items: text('Human-readable.'),
      miss: credits('Credits for an item read from the network.'),
      hit: credits('Credits for a cached item.'),
      bypass: credits('Credits for an item read with `fresh`.'),
    },
  },
  Status: {
    type: 'object',
    required: ['status', 'families'],
    properties: {
      status: HEALTH,
      network: text('The network being read.'),
      database: { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } },
      redis: {
        type: 'object',
        description: 'The store shared by the processes. While it is unreachable, each process continues on its own.',
        required: ['state', 'since'],
        properties: {
          state: { type: 'string', enum: ['up', 'away', 'not used'] },
          since: { type: ['string', 'null'], format: 'date-time' },
        },
      },
      processes: {
        type: ['integer', 'null'],
        format: 'int32',
        description: 'Number of processes sharing Redis; null without Redis.',
      },
      families: { type: 'array', items: refTo('schemas', 'ReadFamily') },
      sessions: { type: 'array', items: refTo('schemas', 'NetworkSession') },
      networkFindings: {
        type: 'array',
        description:
          'What the check at startup found: what can and cannot be read from the network with this configuration.',
        items: {
          type: 'object',
          required: ['ok', 'what'],
          properties: { ok: { type: 'boolean' }, what: text('One sentence.') },
        },
      },
      draining: { type: 'boolean', description: 'True while this process is shutting down.' },
      startedAt: { type: 'string', format: 'date-time', description: 'When this node was started.' },
      version: text('The version of the interface.'),
    },
  },
  ReadFamily: {
    type: 'object',
    description: 'One of the two families of reads, each with its own pace.',
    required: ['name', 'state'],
    properties: {
      name: { type: 'string', description: '`fast` (tweets, profiles, timelines) or `slow` (all other lists).' },
      state: HEALTH,
      queueWaitMs: {
        type: 'integer',
        format: 'int64',
        description: 'Milliseconds that a new read would wait in the queue.',
      },
      queueLength: { type: 'integer', format: 'int64', description: 'Reads waiting in the queue.' },
      upstreamCalls: { type: 'integer', format: 'int64', description: 'Upstream calls since startup.' },
      failures: { type: 'integer', format: 'int64', description: 'Upstream calls that failed because of the network.' },
      unreadable: { type: 'integer', format: 'int64', description: 'Objects of the network that could not be read.' },
      refused: {
        type: 'integer',
        format: 'int64',
        description: "Reads refused at once: too late for their deadline, or over their account's share of the queue.",
      },
      lastIncident: {
        type: ['object', 'null'],
        description: 'The last failure of the network.',
        properties: {
          at: { type: 'string', format: 'date-time' },
          code: text('An error code.'),
          message: text('Human-readable.'),
        },
      },
      cacheHitRate: { type: ['number', 'null'], description: 'Share of items served from cache, 0 to 1.' },
    },
  },
  NetworkSession: {
    type: 'object',
    description: 'A network session: one set of credentials used to read the network.',
    required: ['name', 'state', 'closed'],
    properties: {
      name: text('Its name.'),
      state: { type: 'string', enum: ['ok', 'limited', 'resting', 'failing'] },
      closed: {
        type: 'array',
        description: 'What it cannot read at the moment.',
        items: {
          type: 'object',
          required: ['kind', 'why', 'until'],
          properties: {
            kind: text('A kind of read, or `*` for all.'),
            why: { type: 'string', enum: ['refused', 'resting', 'failing'] },
            until: { type: 'string', format: 'date-time' },
          },
        },
      },
    },
  },
  ErrorCode: {
    type: 'object',
    description: 'What an error code means.',
    required: ['code', 'status', 'title', 'means', 'todo'],
    properties: {
      code: text('The code.'),
      status: { type: 'integer', format: 'int32', description: 'Its HTTP status.' },
      title: text('The `title` of a problem with this code.'),
      means: text('What happened.'),
      todo: text('What to do about it.'),
      charged: credits('Always 0.'),
      retry_after: { type: 'integer', format: 'int32', description: 'Seconds to wait, if waiting helps.' },
    },
  },
  ErrorCodes: {
    type: 'object',
    required: ['problems'],
    properties: { problems: { type: 'array', items: refTo('schemas', 'ErrorCode') } },
  },
  Health: { type: 'object', required: ['status'], properties: { status: { type: 'string', enum: ['ok'] } } },
};
