import type { VNode } from 'preact';
import { counted } from '../../../src/domain/figures.js';
import { MAILED_MINUTES } from '../../../src/sign-in/links.js';
import { signInPath } from '../../../src/sign-in/safe-next.js';
import { sitePath } from '../kit/assets.js';
import { Contact, document } from '../kit/layout.js';
import { Bird } from '../kit/parts.js';

/** What has just happened, if anything. */
export type SignInState =
  | { readonly kind: 'ask' | 'sent' | 'spent' | 'signed_in' | 'again' | 'deleted' }
  /** A valid link, and the account that it would sign in to. */
  | { readonly kind: 'confirm'; readonly token: string; readonly name: string }
  | { readonly kind: 'bad_email'; readonly email: string }
  | { readonly kind: 'limited'; readonly seconds: number };

export interface SignInPage {
  readonly state: SignInState;
  /** Where to go next; null: the dashboard. */
  readonly next: string | null;
  /** Whether links are sent by mail; otherwise the operator passes them on. */
  readonly byMail: boolean;
  /** Whether passkeys work at this page's host, or the address of the page where they do; null if nowhere. */
  readonly passkeys: 'here' | { readonly at: string } | null;
  /** How people reach the operator; null or undefined if not configured. */
  readonly contact?: string | null;
}

const Next = ({ next }: Pick<SignInPage, 'next'>) =>
  next === null ? null : <input type="hidden" name="next" value={next} />;

/**
 * The page's script shows this form, moves the link's secret into it, and says whose account the link opens. The link
 * is not spent before a click, because mail scanners open links.
 */
const ByLink = ({ next }: Pick<SignInPage, 'next'>) => (
  <form id="by-link" method="post" action="/sign-in" hidden>
    <p>
      You opened a sign-in link
      <bdi id="whose" />. It works once.
    </p>
    <input type="hidden" name="token" value="" />
    <input type="hidden" name="seen" value="" />
    <Next next={next} />
    <button class="button primary" type="submit">
      Sign in
    </button>
  </form>
);

const ByMail = ({ next, byMail, state }: SignInPage) => {
  const wrong = state.kind === 'bad_email';
  return (
    <form method="post" action="/sign-in/mail">
      <Next next={next} />
      <label for="email">Email address</label>
      <input
        id="email"
        name="email"
        type="email"
        autocomplete="email"
        maxLength={254}
        required
        {...(wrong ? { value: state.email, 'aria-invalid': 'true' as const } : {})}
        aria-describedby={wrong ? 'email-wrong email-hint' : 'email-hint'}
      />
      {wrong ? (
        <p class="wrong" id="email-wrong">
          Invalid email address. It should look like name@example.org.
        </p>
      ) : null}
      <p class="hint" id="email-hint">
        {byMail
          ? 'We email you a link that signs you in, no password needed. If you are new, this creates an account.'
          : 'This server sends no email: your link is written to its log, and the operator can forward it to you. For an account without an email address, the operator creates a link with perch account sign-in.'}
      </p>
      <button class="button primary" type="submit">
        {byMail ? 'Email me a link' : 'Create a link'}
      </button>
    </form>
  );
};

/**
 * The script shows the button if the browser supports passkeys and is at their address, even if a proxy has changed the
 * host name.
 */
const ByPasskey = ({ passkeys, next }: SignInPage) => {
  if (passkeys === null) return null;
  const elsewhere = passkeys === 'here' ? null : passkeys.at;
  return (
    <>
      {elsewhere === null ? null : (
        <p class="hint" id="passkeys-elsewhere">
          Passkeys work at <a href={elsewhere}>{elsewhere.split('?', 1)}</a>.
        </p>
      )}
      <div
        id="by-passkey"
        data-next={next ?? ''}
        {...(elsewhere === null ? {} : { 'data-origin': new URL(elsewhere).origin })}
        hidden
      >
        <p class="or">or</p>
        <button class="button" type="button">
          Sign in with a passkey
        </button>
        <p class="hint" role="status" />
      </div>
    </>
  );
};

const ByCode = ({ next }: Pick<SignInPage, 'next'>) => (
  <details>
    <summary>I have a link</summary>
    <form method="post" action="/sign-in">
      <Next next={next} />
      <label for="token">Sign-in link, or the code after the #</label>
      <input
        id="token"
        name="token"
        type="text"
        autocomplete="one-time-code"
        autocapitalize="none"
        spellcheck={false}
        required
      />
      <button class="button" type="submit">
        Sign in with this link
      </button>
    </form>
  </details>
);

const minutes = (seconds: number): string => counted(Math.ceil(seconds / 60), 'minute');

/** Shown for a link that was used or has expired, by the service, or by the script once it has checked the link. */
const Spent = ({ hidden = false }: { hidden?: boolean }) => (
  <p class="notice" role="alert" id="spent" hidden={hidden}>
    This link has expired or has already been used. Request a new one here.
  </p>
);

const Happened = ({ state }: Pick<SignInPage, 'state'>) => {
  if (state.kind === 'spent') return <Spent />;
  if (state.kind === 'deleted') {
    return (
      <p class="notice" role="status">
        Your account was deleted. Signing in again opens a new one.
      </p>
    );
  }
  if (state.kind === 'signed_in') {
    return (
      <p class="notice">
        You are already signed in: <a href="/dashboard">go to your dashboard</a>. Signing in again ends that session.
      </p>
    );
  }
  if (state.kind === 'again') {
    return (
      <p class="notice">
        You signed in more than 10 minutes ago. For a change like this, sign in again; you will return here afterwards.
      </p>
    );
  }
  if (state.kind !== 'limited') return null;
  return (
    <p class="notice" role="alert">
      Too many links were requested from your IP address or network. Try again in {minutes(state.seconds)}.
    </p>
  );
};

const SignInForm = (page: SignInPage) => (
  <>
    <h1>Sign in</h1>
    <ByLink next={page.next} />
    <div id="ways">
      {page.state.kind === 'spent' ? null : <Spent hidden />}
      <Happened state={page.state} />
      <noscript>
        <p class="notice">
          JavaScript is disabled in this browser. If you opened a sign-in link, paste it under “I have a link”.
        </p>
      </noscript>
      <ByMail {...page} />
      <ByPasskey {...page} />
      <ByCode next={page.next} />
    </div>
  </>
);

const Sent = ({ next, byMail, contact = null }: SignInPage) => (
  <>
    <h1>{byMail ? 'Check your email' : 'Ask the operator'}</h1>
    <ByLink next={next} />
    <div id="ways">
      <Spent hidden />
      <p>
        {byMail
          ? 'If the address is correct, a link is on its way.'
          : 'This server sends no email. Your link is in its log; the operator can forward it to you.'}{' '}
        It works once and expires in {MAILED_MINUTES} minutes.
      </p>
      {byMail ? <p class="hint">No email? Check your spam folder, then request another link.</p> : null}
      {byMail || contact === null ? null : (
        <p>
          Ask for it here: <Contact contact={contact} />.
        </p>
      )}
      <p>
        <a class="button" href={signInPath(next)}>
          Request another link
        </a>
      </p>
      <ByCode next={next} />
    </div>
  </>
);

/** Shown if the page's script has not yet told the reader whose account the link opens. */
const Confirm = ({ next, token, name }: { next: string | null; token: string; name: string }) => (
  <>
    <h1>Is this you?</h1>
    <form method="post" action="/sign-in">
      <p>
        This link signs you in as <bdi>{name}</bdi>. It works once.
      </p>
      <input type="hidden" name="token" value={token} />
      <input type="hidden" name="seen" value="1" />
      <Next next={next} />
      <button class="button primary" type="submit">
        Sign in
      </button>
    </form>
    <p>
      <a class="button" href={signInPath(next)}>
        No, sign in as someone else
      </a>
    </p>
  </>
);

const content = (page: SignInPage): VNode => {
  const { state, next } = page;
  if (state.kind === 'confirm') return <Confirm next={next} token={state.token} name={state.name} />;
  return state.kind === 'sent' ? <Sent {...page} /> : <SignInForm {...page} />;
};

const body = (page: SignInPage): VNode => (
  <div class="wrap page">
    <div class="sign-in">
      <Bird />
      {content(page)}
    </div>
    <script src={sitePath('sign-in.js')} type="module" />
  </div>
);

/** `/sign-in` in each of its states. */
export const signInPage = (page: SignInPage): string =>
  document({ title: 'Sign in · Perch', description: 'Sign in to your Perch account.' }, body(page));

/** A page that says why something was refused, with a link back. */
export const refusedPage = (message: string): string =>
  document(
    { title: 'Something went wrong · Perch', description: 'Sign in to your Perch account.' },
    <div class="wrap page">
      <div class="sign-in">
        <Bird />
        <h1>Something went wrong</h1>
        <p role="alert">{message}</p>
        <p>
          <a class="button primary" href="/sign-in">
            Go to sign-in
          </a>
        </p>
      </div>
    </div>,
  );
