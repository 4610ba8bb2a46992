import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { liveName } from '../../schema/list-documents.js';
import { asServiceError, badRequest } from '../../src/domain/errors.js';
import { FOLLOWED_READS, type ListRead, subjectParameter } from '../../src/domain/lists.js';
import { truncated } from '../../src/lib/text.js';
import { LiveBudget, type LiveLimits, NOTHING_SPENT, spentMore } from '../../src/live/budget.js';
import type { Checked } from '../../src/live/feed.js';
import type { Live } from '../../src/live/live.js';
import type { LivePosition } from '../../src/live/positions.js';
import { budgetFrom, creditsFrom } from '../../src/serve/budget.js';
import type { Outcome } from '../../src/serve/call.js';
import type { Serve } from '../../src/serve/serve.js';
import { errorBody } from '../http/failure.js';
import { answerLive, type FollowedList, type LiveForm, readStart } from '../http/live/answer-live.js';
import { HEARTBEAT_MS, type ServerSentEvent } from '../http/live/event-stream.js';
import { answerPlan } from '../http/outcome.js';
import { queryString } from '../http/request.js';
import { buildEnvelope, renderEnvelope } from './envelope.js';
import { ENVELOPE_FORM } from './mount.js';
import { deriveEndpoint, type Parameter } from './parameters.js';
import { MOST_LISTS } from './routes.js';
import { readValue } from './values.js';

interface LiveList {
  readonly read: ListRead;
  /** The parameter that names the list's subject. */
  readonly name: string;
  readonly parameters: readonly Parameter[];
}

export interface LiveRestOptions {
  readonly live: Live;
  readonly serve: Serve;
  readonly schema: GraphQLSchema;
  readonly operations: Readonly<Record<string, string>>;
}

/** Mounts `/v1/live`: what is new in timelines, searches, replies and quotes, as server-sent events. */
export function mountLive(app: FastifyInstance, { live, serve, schema, operations }: LiveRestOptions): void {
  const lists = FOLLOWED_READS.map((read): LiveList => {
    const { parameters } = deriveEndpoint(schema, operations[liveName(read)] ?? '');
    return { read, name: subjectParameter(read), parameters };
  });
  app.route({
    method: 'GET',
    url: '/v1/live',
    config: { sharedBy: 'caller' },
    handler: (request, reply) => {
      let query: LiveQuery;
      try {
        query = readLiveQuery(lists, live, request);
      } catch (error) {
        // Served as a call, so that a caller without a valid key is told that first.
        const call = { interface: 'rest', document: { failure: asServiceError(error) }, parse: noParams } as const;
        return answerPlan({ call, serve, form: ENVELOPE_FORM }, request, reply);
      }
      const form = createForm(query, live, request);
      const { limits, ...what } = query;
      return answerLive(live, { ...what, budget: new LiveBudget(limits), form }, request, reply);
    },
  });
}

const noParams = () => ({ variables: {}, budget: null, estimate: false });

interface LiveQuery {
  readonly lists: readonly FollowedList[];
  /** Each list as requested: its parameter and value. */
  readonly names: readonly Readonly<Record<string, string>>[];
  readonly positions: LivePosition[];
  readonly isResumed: boolean;
  readonly limits: LiveLimits;
}

/** Throws `bad_request`. */
function readLiveQuery(lists: readonly LiveList[], live: Live, request: FastifyRequest): LiveQuery {
  const query = queryString(request);
  const known = [...lists.map(({ name }) => name), 'product', 'count', 'since', 'max_credits', 'max_credits_per_day'];
  for (const name of query.keys()) {
    if (!known.includes(name)) {
      throw badRequest(`Unknown parameter ${truncated(name)}: /v1/live takes ${known.join(', ')}.`, name);
    }
  }
  const wanted = lists.flatMap((list) => query.getAll(list.name).map((text) => ({ list, text })));
  const subjects = lists.map(({ name }) => name).join(', ');
  if (wanted.length === 0) throw badRequest(`Say what to follow: at least one of ${subjects}.`, lists[0]?.name);
  if (wanted.length > MOST_LISTS) {
    throw badRequest(`A stream follows at most ${MOST_LISTS} lists, not ${wanted.length}.`, wanted[0]?.list.name);
  }
  const [inAll, perDay] = [one(query, 'max_credits'), one(query, 'max_credits_per_day')];
  const { positions, isResumed, spent } = readStart(live, request, query.get('since'), wanted.length);
  return {
    isResumed,
    names: wanted.map(({ list, text }) => ({ [list.name]: text })),
    positions,
    limits: {
      inAll: budgetFrom(inAll, request.headers['x-max-credits']),
      perDay: perDay === undefined ? null : creditsFrom(perDay, 'max_credits_per_day'),
      spent,
    },
    lists: wanted.map(({ list, text }, index) => {
      const variables = variablesOf(list, text, query);
      return {
        from: positions[index] as LivePosition,
        queryKey: JSON.stringify([list.read.kind, variables]),
        call: {
          interface: 'rest',
          allOrNothing: true,
          render: renderEnvelope,
          document: { name: liveName(list.read) },
          parse: () => ({ variables, budget: null, estimate: false }),
        },
      };
    }),
  };
}

function one(query: URLSearchParams, name: string): string | undefined {
  const all = query.getAll(name);
  if (all.length > 1) throw badRequest(`${name} is given ${all.length} times: send it once.`, name);
  return all[0];
}

function variablesOf(
  { name, parameters, read }: LiveList,
  text: string,
  query: URLSearchParams,
): Record<string, unknown> {
  const subject = read.list.subject === 'tweet' ? 'id' : name;
  const values = parameters.flatMap((parameter) => {
    if (parameter.name === subject) return [[subject, readValue(parameter, text)] as const];
    const value = one(query, parameter.name);
    return value === undefined || parameter.name === 'since'
      ? []
      : [[parameter.name, readValue(parameter, value)] as const];
  });
  return Object.fromEntries(values);
}

/** Named events, in the shapes of REST: `open`, `items`, `heartbeat`, `error`. */
function createForm({ names, positions, limits }: LiveQuery, live: Live, request: FastifyRequest): LiveForm {
  /** When each followed list was last checked, by its index. */
  const checks = new Map<number, () => Checked>();
  /** Without what is charged for items that are not sent yet: with them, their charges are counted again. */
  let { spent = NOTHING_SPENT } = limits;
  const subject = (index: number): object => (names.length === 1 ? {} : { subject: names[index] });
  const heartbeat = (): ServerSentEvent => ({
    event: 'heartbeat',
    data: JSON.stringify({
      at: new Date().toISOString(),
      heartbeat_seconds: HEARTBEAT_MS / 1000,
      checked: [...checks].map(([index, checked]) => {
        const { at, everyMs, failed } = checked();
        const times = { at: new Date(at).toISOString(), every_seconds: Math.round(everyMs / 1000) };
        return { ...names[index], ...times, ...(failed !== null && { failed }) };
      }),
    }),
  });
  return {
    refusal: ENVELOPE_FORM,
    open: () => ({
      event: 'open',
      id: undefined,
      data: JSON.stringify({ heartbeat_seconds: HEARTBEAT_MS / 1000, follows: names }),
    }),
    heartbeat,
    late: (index, checked) => checks.set(index, () => checked),
    event(index, event) {
      if (event.kind === 'end') {
        checks.delete(index);
        return { event: 'error', data: failureOf(event.outcome, subject(index), request) };
      }
      const { followed, position, answer, outcome, checked } = event;
      checks.set(index, checked);
      positions[index] = position;
      spent = spentMore(spent, event.spent, Date.now());
      const id = live.positions.encode(positions, spent);
      // Sent at the beginning of a stream, so that nothing is missed if it breaks at once.
      if (followed.items === 0 && !followed.gap) return { event: 'position', id, data: JSON.stringify(subject(index)) };
      const { shared, own } = buildEnvelope(answer, outcome.requestId, []);
      const text = shared.bytes.toString() + own.toString();
      return { event: 'items', id, data: withSubject(text, subject(index)) };
    },
    close: () => null,
  };
}

const withSubject = (text: string, subject: object): string =>
  Object.keys(subject).length === 0 ? text : `${JSON.stringify(subject).slice(0, -1)},${text.slice(1)}`;

function failureOf({ result, requestId }: Outcome, subject: object, request: FastifyRequest): string {
  if (result.kind === 'answer') throw new TypeError('An answer is no failure.');
  return JSON.stringify({ ...subject, ...errorBody(result.failure, requestId, request.server.baseUrl) });
}
