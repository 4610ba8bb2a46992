import { asServiceError, type ServiceError } from '../../../src/domain/errors.js';
import type { NetworkReport, ReadContext } from '../../../src/ports/network.js';
import type { Api } from './api.js';
import { account, found, type Instance, instance } from './schemas.js';

type Finding = NetworkReport['findings'][number];

const yes = (what: string): Finding => ({ ok: true, what });
const no = (what: string): Finding => ({ ok: false, what });

/** The first version with the batches that Perch uses, and the first API version with lists of quotes. */
const OLDEST = [4, 3] as const;
const QUOTES_SINCE = 7;

/** A word that occurs in some post of any server that supports search. */
const COMMON_WORD = 'the';

/** Makes one call, and then at most two for each session, one after the other. Never rejects. */
export async function selfCheck(api: Api, context: ReadContext): Promise<NetworkReport> {
  try {
    const server = await api.get({ path: '/api/v2/instance', schema: instance, context });
    const fault = findFault(server);
    if (fault !== undefined) return { ok: false, findings: [no(fault)] };
    api.noteDomain(server.domain);
    const findings = aboutServer(server);
    let ok = false;
    for (const session of api.sessions) {
      const about = await aboutSession(api, server, { ...context, session });
      findings.push(...about.findings);
      // One session that can read is enough.
      ok ||= about.reads;
    }
    return { ok, findings };
  } catch (error) {
    const what = `The server at MASTODON_BASE_URL does not respond like Mastodon: ${publicMessage(error)}`;
    return { ok: false, findings: [no(what)] };
  }
}

/** Reports server software that Perch cannot read: some has Mastodon's interface, but ids that are not numbers. */
function findFault({ domain, version, contact }: Instance): string | undefined {
  const [, major = 0, minor = 0] = /^(\d+)\.(\d+)\.\d+/.exec(version)?.map(Number) ?? [];
  const hasNumbers = /^\d+$/.test(contact?.account?.id ?? '0');
  if (/compatible;/.test(version) || major < 4 || !hasNumbers) {
    return `${domain} runs "${version}", which is not Mastodon: its ids are not supported. Set MASTODON_BASE_URL to another server.`;
  }
  if (major > OLDEST[0] || minor >= OLDEST[1]) return undefined;
  return `${domain} runs Mastodon ${version}: ${OLDEST.join('.')} or later is required, because it can return several tweets in one call.`;
}

function aboutServer({ domain, version, configuration }: Instance): Finding[] {
  const terms = configuration?.urls?.terms_of_service;
  const limited = configuration?.limited_federation;
  return [
    yes(`${domain} runs Mastodon ${version}; everything it knows of the network can be read.`),
    yes(
      terms
        ? `Its terms of service are at ${terms}: check that they allow automated access.`
        : 'It publishes no terms of service: ask its operator whether automated access is allowed.',
    ),
    ...(limited ? [no('It federates only with selected servers and knows nothing of the others.')] : []),
  ];
}

async function aboutSession(
  api: Api,
  { contact, api_versions }: Instance,
  context: ReadContext,
): Promise<{ reads: boolean; findings: Finding[] }> {
  const name = context.session ?? '';
  const known = contact?.account?.acct;
  if (known !== undefined) {
    const query = [['acct', known]] as const;
    const failure = await catchFailure(api.get({ path: '/api/v1/accounts/lookup', query, schema: account, context }));
    if (failure) return { reads: false, findings: [no(`${name}: profiles cannot be read: ${hint(failure)}`)] };
  }
  const findings = [
    yes(`${name}: profiles, tweets, timelines, followers, threads, replies and retweeters can be read.`),
  ];
  if (!api.hasToken(context)) {
    const what = 'no tweet search, no quotes, and at most 60 replies per thread';
    findings.push(no(`${name}: ${what}: to enable these, add a user token of this server to MASTODON_TOKENS.`));
    return { reads: true, findings };
  }
  findings.push(await aboutSearch(api, name, context));
  const hasQuotes = (api_versions?.mastodon ?? 0) >= QUOTES_SINCE;
  findings.push(hasQuotes ? yes(`${name}: quotes can be read.`) : no(`${name}: no quotes: they require Mastodon 4.5.`));
  return { reads: true, findings };
}

async function aboutSearch(api: Api, name: string, context: ReadContext): Promise<Finding> {
  const query = [
    ['type', 'statuses'],
    ['q', COMMON_WORD],
    ['limit', '1'],
  ] as const;
  try {
    const { statuses } = await api.get({ path: '/api/v2/search', query, schema: found, context });
    if (statuses.length > 0) return yes(`${name}: tweets can be searched.`);
    return no(`${name}: a search for "${COMMON_WORD}" finds nothing: this server probably has no full-text search.`);
  } catch (error) {
    return no(`${name}: tweets cannot be searched: ${hint(asServiceError(error))}`);
  }
}

const catchFailure = (read: Promise<unknown>): Promise<ServiceError | undefined> =>
  read.then(() => undefined, asServiceError);

/** What an operator can do about the failure. */
function hint(failure: ServiceError): string {
  if (failure.code === 'no_account') return 'the server rejected the token, or requires one: see MASTODON_TOKENS.';
  if (failure.code === 'access_denied')
    return 'the token needs the scopes read:accounts, read:search and read:statuses.';
  return publicMessage(failure);
}

/** The message only: findings are public. */
const publicMessage = (error: unknown): string => asServiceError(error).message;
