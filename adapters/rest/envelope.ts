import { toCredits } from '../../src/domain/credits.js';
import type { Answer } from '../../src/serve/call.js';
import { fieldFailure } from '../../src/serve/execute.js';
import { Rendered } from '../../src/serve/rendered.js';
import type { SharedBody } from '../http/bodies/shared-body.js';
import { refusedBody } from '../http/failure.js';

/** Groups of members in pages and batches; the envelope flattens them. */
const GROUPS = ['pageInfo', 'meta'];

/** Unknown and empty optional fields are left out; lists known to be empty stay. */
const leaveOutNull = (_key: string, value: unknown): unknown => (value === null ? undefined : value);

/**
 * The members of an envelope (section 2) that do not depend on the call, as bytes without the closing brace: the
 * operation's single root field, and what it cost. Under the alias `data` the root is one object; under `page` it has
 * members of its own. Throws the field's failure if it failed.
 */
export function renderEnvelope(answer: Answer): Rendered {
  const [failed] = answer.errors;
  if (failed) throw fieldFailure(failed);
  const root = answer.data ?? {};
  const own = 'data' in root ? { data: root.data } : flat(root.page as Record<string, unknown>);
  const { charge, fetchedAt } = answer;
  const meta = {
    ...(fetchedAt !== undefined && { items: charge.items }),
    credits_charged: toCredits(charge.amount),
    cache: charge.cache,
    ...(fetchedAt !== undefined && { fetched_at: new Date(fetchedAt).toISOString() }),
  };
  return new Rendered(Buffer.from(JSON.stringify({ ...meta, ...own }, leaveOutNull).slice(0, -1)));
}

/** The envelope. Members that depend on the call come last, so that the rest can be compressed once for all calls. */
export function buildEnvelope(answer: Answer, requestId: string, warnings: readonly string[]): SharedBody {
  const own = {
    balance_remaining: toCredits(answer.balance ?? 0),
    request_id: requestId,
    ...(warnings.length > 0 && { warnings }),
  };
  const shared = answer.rendered ?? renderEnvelope(answer);
  return { shared, own: Buffer.from(`,${JSON.stringify(own).slice(1)}`) };
}

function flat(page: Record<string, unknown>): Record<string, unknown> {
  const own: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(page)) {
    if (GROUPS.includes(name)) Object.assign(own, value);
    else own[name] = value;
  }
  return own;
}

/** The answer to `estimate=true`: nothing was read or charged. */
export function estimateEnvelope(answer: Answer, requestId: string, warnings: readonly string[]): string {
  const { maxItems = 0, maxAmount = 0, refused = null } = answer.estimate ?? {};
  const unit = maxItems === 0 ? 0 : toCredits(maxAmount / maxItems);
  return JSON.stringify({
    items: 0,
    credits_charged: 0,
    balance_remaining: toCredits(answer.balance ?? 0),
    cache: 'miss',
    request_id: requestId,
    estimate: { max_items: maxItems, unit, max_credits: toCredits(maxAmount), ...refusedBody(refused) },
    ...(warnings.length > 0 && { warnings }),
  });
}
