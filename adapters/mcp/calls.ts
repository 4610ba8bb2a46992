import type { FastifyReply, FastifyRequest } from 'fastify';
import { badRequest, type ServiceError } from '../../src/core/errors.js';
import type { Call, Outcome } from '../../src/serve/call.js';
import { callerOf } from '../http/request.js';
import { renderEnvelope } from '../rest/envelope.js';
import { type Arguments, BUDGET, budgetOf, refuseUnknown, variablesOf } from './arguments.js';
import type { Catalogue, ListedTool, ReadTool } from './catalogue.js';
import { PRICE_TOOL } from './tools.js';

/** Who calls, and from where. */
export interface Http {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** What every call of this interface has in common. */
const callOf = ({ request, reply }: Http) =>
  ({ ...callerOf(request, reply), interface: 'mcp', allOrNothing: true }) as const;

/** A tool's call, or the pricing of one. */
export function toolCall(http: Http, catalogue: Catalogue, tool: ListedTool, given: Arguments): Call {
  const read = catalogue.reads.get(tool.name);
  const header = http.request.headers['x-max-credits'];
  return read ? readCall(http, read, given, header) : priceCall(http, catalogue, given, header);
}

function readCall(http: Http, tool: ReadTool, given: Arguments, header: string | string[] | undefined): Call {
  return {
    ...callOf(http),
    render: renderEnvelope,
    document: () => ({ name: tool.row.operation }),
    variables: () => variablesOf(tool, given),
    budget: () => {
      const budget = budgetOf(given, header);
      return tool.endpoint.priced ? budget : null;
    },
    estimate: () => false,
  };
}

function priceCall(http: Http, { reads }: Catalogue, given: Arguments, header: string | string[] | undefined): Call {
  const inner = (given.arguments ?? {}) as Arguments;
  const asked = (): ReadTool => {
    refuseUnknown(PRICE_TOOL, ['tool', 'arguments', BUDGET], given);
    const read = typeof given.tool === 'string' ? reads.get(given.tool) : undefined;
    if (!read) throw badRequest(`tool must be one of ${[...reads.keys()].join(', ')}.`, 'tool');
    if (typeof inner !== 'object' || Array.isArray(inner)) {
      throw badRequest('arguments must be an object: the arguments for the tool.', 'arguments');
    }
    return read;
  };
  return {
    ...callOf(http),
    document: () => ({ name: asked().row.operation }),
    variables: () => variablesOf(asked(), inner),
    // Neither changes the price (M26); one that is none is said here already, where it costs nothing.
    budget: () => {
      budgetOf(given, header);
      return budgetOf(inner, header);
    },
    estimate: () => true,
  };
}

/** A message that reads nothing: whose key it came with, and whether the rate allows it. Answers the least there is. */
export const greeting = (http: Http): Call => ({
  ...callOf(http),
  isGreeting: true,
  document: () => ({ text: '{ __typename }' }),
  variables: () => ({}),
  budget: () => null,
  estimate: () => false,
});

/** The failure that is answered over HTTP and not as a tool's result: of the connection, not of the call (A18). */
export function refusalOf(outcome: Outcome, wasTool: boolean): ServiceError | null {
  if (outcome.result.kind !== 'refusal') return null;
  return wasTool && outcome.accountId !== null ? null : outcome.result.failure;
}
