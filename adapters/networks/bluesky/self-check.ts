import { asServiceError } from '../../../src/domain/errors.js';
import type { NetworkReport, ReadContext } from '../../../src/ports/network.js';
import type { BlueskyAccount } from './account.js';
import { SWITCH_ON } from './failures.js';
import { ANSWERS } from './schemas.js';
import type { Xrpc } from './xrpc.js';

type Finding = NetworkReport['findings'][number];

export interface Setup {
  readonly xrpc: Xrpc;
  readonly account: BlueskyAccount | undefined;
  readonly canSearch: boolean;
  readonly context: ReadContext;
}

/** At most two calls: one read, and one search with the account. */
export async function selfCheck(setup: Setup): Promise<NetworkReport> {
  const findings = [await reads(setup), await search(setup)];
  // A search that is not configured is not a fault.
  const ok = findings.every((finding) => finding.ok) || (findings[0]?.ok === true && setup.account === undefined);
  return { ok, findings };
}

/** Findings are public: the upstream's own messages and address are only for the log. */
const why = (error: unknown): string => asServiceError(error).code;

async function reads({ xrpc, context }: Setup): Promise<Finding> {
  const params = { actors: ['bsky.app'] };
  try {
    await xrpc({ method: 'app.bsky.actor.getProfiles', params, schema: ANSWERS.getProfiles, context });
    return { ok: true, what: 'Profiles, tweets and lists are read from the AppView, without an account.' };
  } catch (error) {
    return { ok: false, what: `Unexpected response from the AppView: ${why(error)}` };
  }
}

async function search({ xrpc, account, canSearch, context }: Setup): Promise<Finding> {
  if (!canSearch) return { ok: false, what: `Search is disabled: ${SWITCH_ON}.` };
  const params = { q: 'bluesky', limit: 1 };
  const who = account ? 'with the account' : 'without an account';
  try {
    await (account?.xrpc ?? xrpc)({
      method: 'app.bsky.feed.searchPosts',
      params,
      schema: ANSWERS.searchPosts,
      context,
    });
    return { ok: true, what: `Search works ${who}.` };
  } catch (error) {
    const how = account ? 'check BLUESKY_IDENTIFIER and BLUESKY_APP_PASSWORD' : 'the AppView may require an account';
    return { ok: false, what: `Search does not work ${who} (${how}): ${why(error)}` };
  }
}
