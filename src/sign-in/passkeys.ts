import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { z } from 'zod';
import { limitNetwork } from '../access/address.js';
import { hashSecret, newSecret, type RandomBytes } from '../access/secret.js';
import type { Actor } from '../domain/audit.js';
import { badRequest, ServiceError, takeOrThrow } from '../domain/errors.js';
import type { Clock } from '../ports/clock.js';
import type { PasskeyRecord, PasskeyStore, StoredPasskey } from '../ports/passkeys.js';
import type { RateLimiter } from '../ports/rate-limiter.js';
import type { OneTimeTokens } from '../ports/sign-in.js';
import { needRecentSignIn } from './recent.js';
import type { NewSession, SessionOrigin, Sessions, Visitor } from './sessions.js';

/** Where passkeys work: a passkey is bound to a host name permanently. */
export interface RelyingParty {
  /** The host name. */
  readonly id: string;
  /** Scheme, host and port of the pages that may use them. */
  readonly origin: string;
}

const LOOPBACK = /^(?:127(?:\.\d+){3}|\[::1\])$/;
const IP = /^(?:\d+(?:\.\d+){3}|\[.*\])$/;

/**
 * Browsers allow no passkeys for IP addresses or without TLS, except on localhost. So loopback addresses are replaced
 * by localhost here. Null if there is no suitable host name.
 */
export function relyingParty(authUrl: string): RelyingParty | null {
  const url = new URL(authUrl);
  if (LOOPBACK.test(url.hostname)) url.hostname = 'localhost';
  const { hostname, origin, protocol } = url;
  if (IP.test(hostname)) return null;
  if (protocol !== 'https:' && hostname !== 'localhost' && !hostname.endsWith('.localhost')) return null;
  return { id: hostname, origin };
}

const text = z.string().max(32_768);
const base64url = text.regex(/^[\w-]+$/);

/** The members that the library reads; it validates their contents itself. */
const credential = { id: base64url.max(1400), rawId: base64url.max(1400), type: z.literal('public-key') };

const registration = z.object({
  ...credential,
  clientExtensionResults: z.looseObject({}).default({}),
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z
      .array(z.string().regex(/^[\w-]{1,32}$/))
      .max(8)
      .optional(),
  }),
});

const authentication = z.object({
  ...credential,
  clientExtensionResults: z.looseObject({}).default({}),
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.nullish().transform((handle) => handle ?? undefined),
  }),
});

/** A browser's answer to `registrationOptions`. Throws `bad_request` for anything else. */
const parseRegistration = (given: unknown): RegistrationResponseJSON =>
  parsed(registration, given) as RegistrationResponseJSON;

/** A browser's answer to `signInOptions`. Throws `bad_request` for anything else. */
const parseAuthentication = (given: unknown): AuthenticationResponseJSON =>
  parsed(authentication, given) as AuthenticationResponseJSON;

const clientData = z.object({ challenge: text });

/** The challenge that was answered; empty if the data contains none. */
function parseChallenge(clientDataJson: string): string {
  try {
    return clientData.parse(JSON.parse(Buffer.from(clientDataJson, 'base64url').toString('utf8'))).challenge;
  } catch {
    return '';
  }
}

function parsed<T>(shape: z.ZodType<T>, given: unknown): T {
  const { success, data } = shape.safeParse(given);
  if (success) return data;
  throw badRequest('Invalid passkey response.', 'response');
}

const CHALLENGE_MS = 5 * 60_000;

const MOST_PASSKEYS = 20;
const NAME_CHARS = 60;

/** Loaded with the first passkey, because it would add 200 ms to every start. */
const webauthn = () => import('@simplewebauthn/server');

const subject = z.object({ personId: z.string().nullable() });

type Answer = Pick<RegistrationResponseJSON | AuthenticationResponseJSON, 'response'>;

export interface PasskeysOptions {
  readonly store: PasskeyStore;
  readonly tokens: OneTimeTokens;
  readonly sessions: Pick<Sessions, 'start'>;
  /** The person's name, which the authenticator shows. */
  readonly nameOf: (personId: string) => Promise<string>;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** The address of sign-in, known once the service listens. */
  readonly authUrl: () => string;
}

/** Most sign-ins started from one address, from its network, and in all, within the lifetime of a challenge. */
const PER_ADDRESS = 60;
const PER_NETWORK = 1000;
const IN_ALL = 20_000;
const WINDOW_SECONDS = CHALLENGE_MS / 1000;

/**
 * Sign-in by passkeys (WebAuthn). The authenticator stores a passkey under the person's id, and uses it only after
 * verifying the person. Each challenge works once, within five minutes, for one purpose.
 */
export class Passkeys {
  readonly #options: PasskeysOptions;

  constructor(options: PasskeysOptions) {
    this.#options = options;
  }

  /** Where passkeys work; null if the service has no host name that they can belong to. */
  relyingParty(): RelyingParty | null {
    return relyingParty(this.#options.authUrl());
  }

  /**
   * The browser's options for creating a passkey. Throws `bad_request` if passkeys do not work here, or if there are
   * 20, `access_denied` with the reason `sign_in_again` if the sign-in is more than 10 minutes old, and `rate_limited`
   * after 20 in five minutes.
   */
  async registrationOptions(visitor: Visitor): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { personId } = visitor;
    const { id } = this.#relyingParty();
    needRecentSignIn(visitor, this.#options.clock.now());
    await this.#admit(`passkey:of:${personId}`, MOST_PASSKEYS, 'passkeys were added');
    const existing = await this.list(personId);
    if (existing.length >= MOST_PASSKEYS) throw tooMany();
    const name = await this.#options.nameOf(personId);
    const { generateRegistrationOptions } = await webauthn();
    return generateRegistrationOptions({
      rpName: 'Perch',
      rpID: id,
      userName: name,
      userDisplayName: name,
      userID: Uint8Array.from(Buffer.from(personId)),
      challenge: await this.#challenge(personId),
      timeout: CHALLENGE_MS,
      excludeCredentials: existing.map(({ credentialId, transports }) => ({
        id: credentialId,
        transports: [...transports],
      })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  }

  /**
   * Adds the passkey that the browser created, for a challenge that only a recent sign-in gets. Throws `bad_request`
   * for one that is invalid, or already registered, and if there are 20.
   */
  async register({ personId }: Visitor, given: unknown, name: string, by: Actor): Promise<void> {
    const { id, origin } = this.#relyingParty();
    const response = parseRegistration(given);
    const shown = nameFrom(name);
    const { verifyRegistrationResponse } = await webauthn();
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: await this.#spend(response, personId),
      expectedOrigin: origin,
      expectedRPID: id,
    }).catch(refused);
    if (!registrationInfo) throw refusal();
    const { credential } = registrationInfo;
    const { publicKey, counter, transports = [] } = credential;
    const passkey = { personId, credentialId: credential.id, publicKey, counter, transports, name: shown };
    const added = await this.#options.store.add(passkey, MOST_PASSKEYS, by);
    if (added === 'full') throw tooMany();
    if (added === 'known') throw badRequest('This passkey has already been added.');
  }

  /**
   * The browser's options for signing in; the authenticator knows the person. Each call adds a row although no one has
   * signed in, so it throws `rate_limited` if too many were requested from one address or network, or in all.
   */
  async signInOptions(address: string): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { id } = this.#relyingParty();
    await this.#admit(`passkey:from:${address}`, PER_ADDRESS, 'passkey sign-ins were started from your IP address');
    const network = `passkey:network:${limitNetwork(address)}`;
    await this.#admit(network, PER_NETWORK, 'passkey sign-ins were started from your network');
    await this.#admit('passkey:all', IN_ALL, 'passkey sign-ins were started on this server');
    const challenge = await this.#challenge(null);
    const { generateAuthenticationOptions } = await webauthn();
    return generateAuthenticationOptions({ rpID: id, challenge, timeout: CHALLENGE_MS, userVerification: 'required' });
  }

  /** Signs in with the browser's signature. Throws `access_denied` for any fault, without saying which. */
  async signIn(given: unknown, origin: SessionOrigin): Promise<NewSession> {
    const { store, sessions, clock } = this.#options;
    const response = parseAuthentication(given);
    const passkey = await store.find(response.id);
    const { userHandle } = response.response;
    if (!passkey || (userHandle !== undefined && decoded(userHandle) !== passkey.personId)) throw refusal();
    const counter = await this.#verify(response, passkey);
    if (!(await store.used(passkey.credentialId, counter, clock.now()))) throw refusal();
    return sessions.start(passkey.personId, { ...origin, method: 'passkey' });
  }

  #admit(name: string, limit: number, what: string): Promise<void> {
    return takeOrThrow(this.#options.limiter, [name, limit, WINDOW_SECONDS], {
      message: (seconds) => `Too many ${what}. Try again in ${seconds} s.`,
    });
  }

  list(personId: string): Promise<PasskeyRecord[]> {
    return this.#options.store.list(personId);
  }

  /**
   * Does nothing if the person has no such passkey. Sessions started with it continue. Throws `bad_request` for an
   * invalid passkey id, and `access_denied` with the reason `sign_in_again` as for a new one.
   */
  async remove(visitor: Visitor, credentialId: string, by: Actor): Promise<void> {
    if (!/^[\w-]{1,1400}$/.test(credentialId)) throw badRequest('Invalid passkey id.', 'credential');
    needRecentSignIn(visitor, this.#options.clock.now());
    await this.#options.store.remove(visitor.personId, credentialId, by);
  }

  /**
   * Returns the authenticator's new signature count. A count that did not rise may come from a copy, and is refused.
   */
  async #verify(response: AuthenticationResponseJSON, passkey: StoredPasskey): Promise<number> {
    const { id, origin } = this.#relyingParty();
    const { verifyAuthenticationResponse } = await webauthn();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: await this.#spend(response, null),
      expectedOrigin: origin,
      expectedRPID: id,
      credential: {
        id: passkey.credentialId,
        publicKey: Uint8Array.from(passkey.publicKey),
        counter: passkey.counter,
      },
    }).catch(refused);
    if (!verified) throw refusal();
    return authenticationInfo.newCounter;
  }

  async #challenge(personId: string | null): Promise<Uint8Array<ArrayBuffer>> {
    const { tokens, clock, randomBytes } = this.#options;
    const challenge = newSecret(randomBytes);
    const at = clock.now();
    const good = { hash: hashSecret(challenge), kind: 'passkey', subject: { personId } } as const;
    await tokens.put({ ...good, at, expiresAt: at + CHALLENGE_MS });
    return Uint8Array.from(Buffer.from(challenge, 'base64url'));
  }

  /**
   * The challenge that was answered: it must have been issued by Perch, for this person (null: for a sign-in), and be
   * unused.
   */
  async #spend({ response }: Answer, personId: string | null): Promise<string> {
    const { tokens, clock } = this.#options;
    const challenge = parseChallenge(response.clientDataJSON);
    const found = subject.safeParse(await tokens.spend(hashSecret(challenge), 'passkey', clock.now()));
    if (found.success && found.data.personId === personId) return challenge;
    throw refusal();
  }

  #relyingParty(): RelyingParty {
    const party = this.relyingParty();
    if (party) return party;
    throw badRequest('Passkeys need a host name and https; browsers do not offer them at this address.');
  }
}

function nameFrom(text: string): string {
  if (/\p{Cc}/u.test(text.trim())) throw badRequest('The name contains a character that cannot be displayed.', 'name');
  return [...text.trim()].slice(0, NAME_CHARS).join('') || 'Passkey';
}

const tooMany = (): ServiceError => badRequest(`You can have at most ${MOST_PASSKEYS} passkeys.`);

const decoded = (handle: string): string => Buffer.from(handle, 'base64url').toString('utf8');

const refusal = (cause?: unknown): ServiceError =>
  new ServiceError('access_denied', 'The passkey was not accepted. Try again, or sign in by email.', {
    reason: 'passkey_refused',
    cause,
  });

/** The library throws on anything invalid. */
function refused(error: unknown): never {
  throw refusal(error);
}
