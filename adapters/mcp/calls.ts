import type { FastifyReply, FastifyRequest } from 'fastify';
import { asServiceError, badRequest, type ServiceError } from '../../src/domain/errors.js';
import type { Call, Outcome, Params } from '../../src/serve/call.js';
import type { PlannedCall } from '../http/plans.js';
import { callerParts } from '../http/request.js';
import { type Arguments, BUDGET, callBudget, parsed, refuseUnknown, toVariables } from './arguments.js';
import type { Catalogue, ListedTool, ReadTool } from './catalogue.js';
import { renderResult } from './rendered-result.js';
import { PRICE_TOOL } from './tools.js';

/** The request that a call came with, and its reply. */
export interface Http {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The members that all calls of this interface share. */
const MCP_CALL = { interface: 'mcp', allOrNothing: true } as const;

/** The `X-Max-Credits` of a request. */
type BudgetHeader = string | string[] | undefined;

/** A tool's call, or the pricing of one. */
export function toolCall(catalogue: Catalogue, tool: ListedTool, given: Arguments, header: BudgetHeader): PlannedCall {
  const read = catalogue.reads.get(tool.name);
  return read ? readCall(read, given, header) : priceCall(catalogue, given, header);
}

function readCall(tool: ReadTool, given: Arguments, header: BudgetHeader): PlannedCall {
  return {
    ...MCP_CALL,
    render: renderResult,
    document: { name: tool.row.operation },
    parse() {
      const variables = toVariables(tool, given);
      const budget = callBudget(given, header);
      return { variables, budget: tool.endpoint.priced ? budget : null, estimate: false };
    },
  };
}

function priceCall(catalogue: Catalogue, given: Arguments, header: BudgetHeader): PlannedCall {
  const call = { ...MCP_CALL, parse: () => NOTHING };
  try {
    const { tool, inner } = resolvePricedTool(catalogue, given);
    return {
      ...call,
      document: { name: tool.row.operation },
      parse() {
        const variables = toVariables(tool, inner);
        // Neither budget changes the price; an invalid one is reported already here, where it costs nothing.
        callBudget(given, header);
        return { variables, budget: callBudget(inner, header), estimate: true };
      },
    };
  } catch (error) {
    return { ...call, document: { failure: asServiceError(error) } };
  }
}

/** The tool to be priced, and the arguments it would be called with. Throws `bad_request`. */
function resolvePricedTool({ reads }: Catalogue, given: Arguments): { tool: ReadTool; inner: Arguments } {
  refuseUnknown(PRICE_TOOL, ['tool', 'arguments', BUDGET], given);
  const tool = typeof given.tool === 'string' ? reads.get(given.tool) : undefined;
  if (!tool) throw badRequest(`tool must be one of ${[...reads.keys()].join(', ')}.`, 'tool');
  const inner = parsed(given.arguments) ?? {};
  if (typeof inner !== 'object' || Array.isArray(inner)) {
    throw badRequest('arguments must be an object: the arguments for the tool.', 'arguments');
  }
  // A client that has to send every argument sends null for those that the tool does not have.
  return { tool, inner: Object.fromEntries(Object.entries(inner).filter(([, value]) => value !== null)) };
}

const NOTHING: Params = { variables: {}, budget: null, estimate: false };

/**
 * The call of a message that reads nothing: it checks the key and the rate limit, and its answer is minimal. A tool's
 * call that the protocol refuses was counted as a call.
 */
export const handshake = ({ request, reply }: Http): Call => ({
  ...callerParts(request, reply),
  ...MCP_CALL,
  isHandshake: request.raw.admitted === undefined,
  document: { text: '{ __typename }' },
  parse: () => NOTHING,
});

/**
 * The failure that is answered over HTTP rather than as a tool's result, because it concerns the connection, not the
 * call (A18); null: there is none.
 */
export function httpRefusal(outcome: Outcome, wasTool: boolean): ServiceError | null {
  if (outcome.result.kind !== 'refusal') return null;
  // A key that may not be used from its address is limited by that address, as if there were none.
  const isOfAccount = outcome.accountId !== null && outcome.policy === 'account';
  return wasTool && isOfAccount ? null : outcome.result.failure;
}
