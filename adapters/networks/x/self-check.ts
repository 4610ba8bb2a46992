import { ServiceError } from '../../../src/core/errors.js';
import type { NetworkReport, ReadContext } from '../../../src/ports/network.js';
import type { XApi, XOptions } from './api.js';

/** A post that has existed since 2006, and its author. */
const KNOWN_POST = '20';
const KNOWN_USER = '12';
/** A conversation and a name that do not exist: nothing is found, so nothing is billed. */
const NO_CONVERSATION = 'conversation_id:1';
const NOBODY = 'zqxjkvwyzqxjkvwy';
/** More than anyone should have. */
const MAX_TOKENS = 10;

type Finding = NetworkReport['findings'][number];
type Checked = Pick<XOptions, 'search' | 'vocabulary'>;

/**
 * Costs a few cents at X: a post for each token, then with the first that works a follower, and two searches without
 * results.
 */
export async function checkAll(api: XApi, options: Checked, context: ReadContext): Promise<NetworkReport> {
  const findings: Finding[] = [];
  let working: string | undefined;
  for (const session of api.sessions.slice(0, MAX_TOKENS)) {
    const finding = await checkToken(api, options, { ...context, session }, session);
    findings.push(finding);
    if (finding.ok) working ??= session;
  }
  const left = api.sessions.length - MAX_TOKENS;
  if (left > 0)
    findings.push({ ok: true, what: `${left} more ${left === 1 ? 'token was' : 'tokens were'} not tried.` });
  if (working === undefined) return { ok: false, findings };
  return { ok: true, findings: [...findings, ...(await checkKinds(api, options, { ...context, session: working }))] };
}

async function checkToken(api: XApi, { vocabulary }: Checked, context: ReadContext, name: string): Promise<Finding> {
  try {
    await api.tweets('/2/tweets', { ids: KNOWN_POST }, { kind: 'objects' }, context);
    return { ok: true, what: `X: ${name} can read tweets, profiles and timelines. (This check used a few reads.)` };
  } catch (error) {
    const other = vocabulary === 'tweet' ? 'post' : 'tweet';
    // An answer that lacks the fields requested by name.
    const isMisread = codeOf(error) === 'upstream_error' && /created_at|author_id/.test(causeOf(error));
    const hint = isMisread ? ` X may have changed the names used in this request: try X_VOCABULARY=${other}.` : '';
    return { ok: false, what: `X: ${name} cannot read anything: ${messageOf(error)}${hint}` };
  }
}

async function checkKinds(api: XApi, { search }: Checked, context: ReadContext): Promise<Finding[]> {
  const path = search === 'archive' ? 'all' : 'recent';
  const reach = search === 'archive' ? 'all tweets since 2006' : 'the last seven days (X_SEARCH=archive for more)';
  const query = { query: NO_CONVERSATION, max_results: '10' };
  const latest = { kind: 'search', product: 'Latest', isOurs: true } as const;
  const people = { kind: 'search', product: 'People', isOurs: true } as const;
  return Promise.all([
    finding(
      api.users(`/2/users/${KNOWN_USER}/followers`, { max_results: '1' }, { kind: 'list' }, context),
      'X: followers and following can be read.',
      'X: followers and following cannot be read; access depends on your X application (developer.x.com)',
    ),
    finding(
      api.tweets(`/2/tweets/search/${path}`, query, latest, context),
      `X: search covers ${reach}.`,
      search === 'archive'
        ? 'X: these tokens may not search the archive; X_SEARCH=recent searches the last seven days'
        : 'X: these tokens may not search',
    ),
    finding(
      api.users('/2/users/search', { query: NOBODY, max_results: '1' }, people, context),
      'X: People can be searched.',
      'X: People cannot be searched; that requires a user-context token',
    ),
  ]);
}

const finding = (read: Promise<unknown>, yes: string, no: string): Promise<Finding> =>
  read.then(
    () => ({ ok: true, what: yes }),
    (error) => ({ ok: false, what: `${no}. (${messageOf(error)})` }),
  );

const codeOf = (error: unknown): string => (error as ServiceError).code ?? '';
/** Only Perch's own messages: these sentences are public. */
const messageOf = (error: unknown): string => (error instanceof ServiceError ? error.message : 'it failed');
const causeOf = (error: unknown): string => String((error as ServiceError).detail?.cause ?? '');
