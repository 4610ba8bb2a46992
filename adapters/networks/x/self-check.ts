import { ServiceError } from '../../../src/domain/errors.js';
import type { CheckMemory, Finding, NetworkReport, ReadContext } from '../../../src/ports/network.js';
import type { XApi, XOptions } from './api.js';
import { requireReadable } from './lists.js';
import type { TweetsAnswer, UsersAnswer } from './schemas.js';

/** A post that has existed since 2006, and its author. */
const KNOWN_POST = '20';
const KNOWN_USER = '12';
/** A conversation and a name that do not exist: nothing is found, so nothing is billed. */
const NO_CONVERSATION = 'conversation_id:1';
const NOBODY = 'zqxjkvwyzqxjkvwy';
/** The most tokens that are checked: more than anyone should have. */
const MAX_TOKENS = 10;

interface Check {
  readonly api: XApi;
  readonly options: Pick<XOptions, 'search' | 'vocabulary'>;
  /** If given, questions that were asked in the last day are not asked again. */
  readonly memory: CheckMemory | undefined;
}

/**
 * Costs a few cents at X: it reads a post with each token, then, with the first token that works, reads a follower and
 * makes two searches without results.
 */
export async function checkAll(check: Check, context: ReadContext): Promise<NetworkReport> {
  const { sessions } = check.api;
  const findings: Finding[] = [];
  let working: string | undefined;
  for (const session of sessions.slice(0, MAX_TOKENS)) {
    const found = await checkToken(check, { ...context, session }, session);
    findings.push(found);
    if (found.ok) working ??= session;
  }
  const left = sessions.length - MAX_TOKENS;
  if (left > 0)
    findings.push({ ok: true, what: `${left} more ${left === 1 ? 'token was' : 'tokens were'} not tried.` });
  if (working === undefined) return { ok: false, findings };
  return { ok: true, findings: [...findings, ...(await checkKinds(check, { ...context, session: working }))] };
}

function checkToken(check: Check, context: ReadContext, name: string): Promise<Finding> {
  const other = check.options.vocabulary === 'tweet' ? 'post' : 'tweet';
  return finding(check, context, {
    question: 'post',
    call: () => check.api.tweets('/2/tweets', { ids: KNOWN_POST }, { kind: 'objects' }, context),
    yes: `X: ${name} can read tweets, profiles and timelines.`,
    no: (error) => {
      // The answer lacks fields that were requested by name.
      const isMisread = errorCode(error) === 'upstream_error' && /created_at|author_id/.test(errorCause(error));
      const hint = isMisread ? ` X may have changed the names used in this request: try X_VOCABULARY=${other}.` : '';
      return `X: ${name} cannot read anything: ${publicMessage(error)}${hint}`;
    },
  });
}

async function checkKinds(check: Check, context: ReadContext): Promise<Finding[]> {
  const { api } = check;
  const isArchive = check.options.search === 'archive';
  const path = isArchive ? 'all' : 'recent';
  const reach = isArchive ? 'all tweets since 2006' : 'the last seven days (X_SEARCH=archive for more)';
  const query = { query: NO_CONVERSATION, max_results: '10' };
  const latest = { kind: 'search', product: 'Latest', isOurs: true } as const;
  const people = { kind: 'search', product: 'People', isOurs: true } as const;
  return Promise.all([
    finding(check, context, {
      question: 'followers',
      call: () => api.users(`/2/users/${KNOWN_USER}/followers`, { max_results: '1' }, { kind: 'list' }, context),
      yes: 'X: followers and following can be read.',
      no: because('X: followers and following cannot be read; access depends on your X application (developer.x.com)'),
    }),
    finding(check, context, {
      question: `search ${path}`,
      call: () => api.tweets(`/2/tweets/search/${path}`, query, latest, context),
      yes: `X: search covers ${reach}.`,
      no: because(
        isArchive
          ? 'X: these tokens may not search the archive; X_SEARCH=recent searches the last seven days'
          : 'X: these tokens may not search',
      ),
    }),
    finding(check, context, {
      question: 'people',
      call: () => api.users('/2/users/search', { query: NOBODY, max_results: '1' }, people, context),
      yes: 'X: People can be searched.',
      no: because('X: People cannot be searched; that requires a user-context token'),
    }),
  ]);
}

interface Question {
  readonly question: string;
  readonly call: () => Promise<TweetsAnswer | UsersAnswer>;
  readonly yes: string;
  readonly no: (error: unknown) => string;
}

async function finding(
  { api, memory }: Check,
  context: ReadContext,
  { question, call, yes, no }: Question,
): Promise<Finding> {
  try {
    const name = api.questionOf(question, context);
    const state = memory ? await memory.claim(name, context.signal).catch(() => 'unknown' as const) : 'ask';
    if (state === 'unknown') {
      const what = yes.replace(/^X: (.*)\.$/, 'X: it is not known whether $1; run perch doctor to check.');
      return { ok: true, what };
    }
    if (state === 'ask')
      await noteAnswer(call().then(requireReadable), (isGood) => memory?.note(name, isGood), context.signal);
    return { ok: true, what: yes };
  } catch (error) {
    return { ok: false, what: no(error) };
  }
}

/** An answer that this process no longer waits for may still be billed, so its question counts as asked for the day. */
async function noteAnswer(
  answer: Promise<unknown>,
  note: (isGood: boolean) => Promise<void> | undefined,
  signal: AbortSignal,
): Promise<void> {
  const isGood = await answer.then(
    () => true,
    () => false,
  );
  if (!signal.aborted) await note(isGood)?.catch(() => {});
  await answer;
}

const because =
  (what: string) =>
  (error: unknown): string =>
    `${what}. (${publicMessage(error)})`;

const errorCode = (error: unknown): string => (error as ServiceError).code ?? '';
/** Only Perch's own messages: these sentences are public. */
const publicMessage = (error: unknown): string => (error instanceof ServiceError ? error.message : 'it failed');
const errorCause = (error: unknown): string => String((error as ServiceError).detail?.cause ?? '');
