import type { JsonSchema } from './types.js';
import { refTo } from './words.js';

const text = (description: string): JsonSchema => ({ type: 'string', description });
const address = (description: string): JsonSchema => ({ ...text(description), format: 'uri' });
const credits = (description: string): JsonSchema => ({ type: 'number', description });

const HEALTH: JsonSchema = { type: 'string', enum: ['ok', 'degraded', 'down'] };

/** Bodies of what needs no key (H10). */
export const KEYLESS_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Service: {
    type: 'object',
    required: ['name', 'version', 'endpoints', 'links', 'prices'],
    properties: {
      name: text('The service.'),
      version: text('The version of the interface.'),
      network: text('The network that is read.'),
      demo: { type: 'boolean', description: 'True when an invented network is served.' },
      endpoints: {
        type: 'object',
        description: 'Where each interface is called.',
        required: ['graphql', 'rest', 'mcp'],
        properties: { graphql: address('GraphQL.'), rest: address('The base of REST.'), mcp: address('MCP.') },
      },
      links: { type: 'object', description: 'Where to read on.' },
      prices: { type: 'array', items: refTo('schemas', 'Price') },
    },
  },
  Price: {
    type: 'object',
    required: ['unit', 'items', 'miss', 'hit', 'bypass'],
    properties: {
      unit: text('What an item is sold as.'),
      items: text('In words.'),
      miss: credits('Credits for an item read from the network.'),
      hit: credits('Credits for an item held already.'),
      bypass: credits('Credits for an item with `fresh`.'),
    },
  },
  Status: {
    type: 'object',
    required: ['status', 'families'],
    properties: {
      status: HEALTH,
      network: text('The network that is read.'),
      database: { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } },
      redis: {
        type: 'object',
        description: 'What the processes share. While it is away each of them goes on by itself.',
        required: ['state', 'since'],
        properties: {
          state: { type: 'string', enum: ['up', 'away', 'not used'] },
          since: { type: ['string', 'null'], format: 'date-time' },
        },
      },
      processes: { type: ['integer', 'null'], description: 'Processes that share Redis; null where none is used.' },
      families: { type: 'array', items: refTo('schemas', 'ReadFamily') },
      sessions: { type: 'array', items: refTo('schemas', 'ReadingSession') },
      networkFindings: {
        type: 'array',
        description:
          'What was found at the start: what can be read of the network with this configuration, and what not.',
        items: {
          type: 'object',
          required: ['ok', 'what'],
          properties: { ok: { type: 'boolean' }, what: text('One sentence.') },
        },
      },
      draining: { type: 'boolean', description: 'True once this process was asked to stop.' },
      startedAt: { type: 'string', format: 'date-time', description: 'When this node was started.' },
      version: text('The version of the interface.'),
    },
  },
  ReadFamily: {
    type: 'object',
    description: 'One of the two paces at which the network is read.',
    required: ['name', 'state'],
    properties: {
      name: { type: 'string', description: '`fast` (tweets, profiles, timelines) or `slow` (all other lists).' },
      state: HEALTH,
      queueWaitMs: { type: 'integer', description: 'Milliseconds that a read which starts now waits for its turn.' },
      queueLength: { type: 'integer', description: 'Reads that wait for a turn.' },
      upstreamCalls: { type: 'integer', description: 'Upstream calls since the start.' },
      failures: { type: 'integer', description: 'Upstream calls that failed for reasons of the network.' },
      refused: { type: 'integer', description: 'Reads refused at once, for they could not come in time.' },
      lastIncident: {
        type: ['object', 'null'],
        description: 'The last failure of the network.',
        properties: {
          at: { type: 'string', format: 'date-time' },
          code: text('An error code.'),
          message: text('In words.'),
        },
      },
      cacheHitRate: { type: ['number', 'null'], description: 'Share of items that were held already, 0 to 1.' },
    },
  },
  ReadingSession: {
    type: 'object',
    description: 'Credentials that the network is read with.',
    required: ['name', 'state', 'closed'],
    properties: {
      name: text('Its name.'),
      state: { type: 'string', enum: ['ok', 'limited', 'resting', 'failing'] },
      closed: {
        type: 'array',
        description: 'What cannot be read with it now.',
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
      status: { type: 'integer', description: 'The HTTP status that it goes out with.' },
      title: text('The `title` of a problem with this code.'),
      means: text('What happened.'),
      todo: text('What can be done.'),
      charged: credits('Always 0.'),
      retry_after: { type: 'integer', description: 'Seconds to wait, where waiting helps.' },
    },
  },
  ErrorCodes: {
    type: 'object',
    required: ['problems'],
    properties: { problems: { type: 'array', items: refTo('schemas', 'ErrorCode') } },
  },
  Health: { type: 'object', required: ['status'], properties: { status: { type: 'string', enum: ['ok'] } } },
};
