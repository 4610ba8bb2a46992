import type { FastifyRequest } from 'fastify';
import type { PasskeyRecord } from '../../../src/ports/passkeys.js';
import type { Passkeys } from '../../../src/sign-in/passkeys.js';
import { signInAgainPath } from '../../../src/sign-in/safe-next.js';
import { sitePath } from '../kit/assets.js';

/** Passkeys work on this page, or only at another address of it, or nowhere (null). */
export type PasskeyHost = 'here' | { readonly at: string } | null;

/**
 * A passkey belongs to one host name, so a page that was opened under another (127.0.0.1 for localhost) says where to
 * go. Behind a proxy that hides the host name, this may wrongly name another address; the page's script corrects that.
 */
export function passkeyHost(request: FastifyRequest, passkeys: Pick<Passkeys, 'relyingParty'>): PasskeyHost {
  const host = passkeys.relyingParty();
  if (host === null) return null;
  return new URL(host.origin).host === request.host ? 'here' : { at: `${host.origin}${request.url}` };
}

export interface PasskeyPanelProps {
  readonly passkeys: readonly PasskeyRecord[];
  /** Where passkeys can be created; see `passkeyHost`. */
  readonly host: PasskeyHost;
  /** The path of the page with the panel, below `/dashboard`; removing a passkey leads back to it. */
  readonly here: string;
}

const day = (at: string): string => at.slice(0, 10);

const Row = ({ passkey, here }: { passkey: PasskeyRecord; here: string }) => (
  <li>
    <div>
      <strong>{passkey.name}</strong>
      <p class="hint">
        Added {day(passkey.createdAt)}, {passkey.usedAt === null ? 'not used yet' : `last used ${day(passkey.usedAt)}`}
      </p>
    </div>
    <form method="post" action="/dashboard/passkeys/remove">
      <input type="hidden" name="credential" value={passkey.credentialId} />
      <input type="hidden" name="next" value={here} />
      <button class="button" type="submit" aria-label={`Remove ${passkey.name}`}>
        Remove
      </button>
    </form>
  </li>
);

const Add = ({ host, here }: Pick<PasskeyPanelProps, 'host' | 'here'>) => {
  if (host === null) {
    return <p class="hint">Passkeys need a host name and https; browsers do not offer them at this address.</p>;
  }
  const elsewhere = host === 'here' ? null : host.at;
  return (
    <>
      <noscript>
        <p class="hint">To add a passkey, enable JavaScript for this page.</p>
      </noscript>
      {elsewhere === null ? null : (
        <p class="hint" id="passkeys-elsewhere">
          To add a passkey, open this page at <a href={elsewhere}>{elsewhere}</a>.
        </p>
      )}
      <form id="add-passkey" {...(elsewhere === null ? {} : { 'data-origin': new URL(elsewhere).origin })} hidden>
        <label for="passkey-name">Name of this device</label>
        <input id="passkey-name" name="name" type="text" maxLength={60} autocomplete="off" required />
        <button class="button primary" type="submit">
          Add a passkey
        </button>
        <p class="hint" role="status" />
        <p id="sign-in-again" hidden>
          <a class="button" href={signInAgainPath(here)}>
            Sign in again
          </a>
        </p>
      </form>
      <script src={sitePath('passkeys.js')} type="module" />
    </>
  );
};

/** Lists, adds and removes the account's passkeys. Includes its own script; the page provides the heading. */
export const PasskeyPanel = ({ passkeys, host, here }: PasskeyPanelProps) => (
  <div class="passkeys">
    {passkeys.length === 0 ? (
      <p>No passkeys yet. With a passkey you sign in by fingerprint, face or PIN, without waiting for an email.</p>
    ) : (
      <ul>
        {passkeys.map((passkey) => (
          <Row key={passkey.credentialId} passkey={passkey} here={here} />
        ))}
      </ul>
    )}
    <Add host={host} here={here} />
  </div>
);
