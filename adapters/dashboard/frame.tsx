/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { document } from '../site/layout.js';
import { Notice } from './parts.js';

/** What stands around every page of the dashboard. */
export interface Around {
  readonly name: string;
  readonly email: string | null;
  readonly frozen: boolean;
  /** What was just done, in words; null when the page was simply opened. */
  readonly done: string | null;
}

const PAGES = [
  { href: '/dashboard', text: 'Overview' },
  { href: '/dashboard/usage', text: 'Usage' },
  { href: '/dashboard/keys', text: 'Keys' },
  { href: '/dashboard/credits', text: 'Credits' },
  { href: '/dashboard/receipts', text: 'Receipts' },
  { href: '/dashboard/clients', text: 'Clients' },
  { href: '/dashboard/security', text: 'Security' },
] as const;

export type Place = (typeof PAGES)[number]['href'];

const Side = ({ around, here, exact }: { around: Around; here: Place | null; exact: boolean }) => (
  <div class="side">
    <nav aria-label="Dashboard">
      <ul>
        {PAGES.map(({ href, text }) => (
          <li key={href}>
            <a
              href={href}
              {...(href === here ? { 'aria-current': exact ? ('page' as const) : ('true' as const) } : {})}
            >
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    <form method="post" action="/sign-out" class="who">
      <p>
        <bdi>{around.name}</bdi>
        {around.email === null ? null : <bdi class="soft">{around.email}</bdi>}
      </p>
      <button type="submit" class="button small">
        Sign out
      </button>
    </form>
  </div>
);

export interface FrameProps {
  readonly title: string;
  /** Under the title, in a sentence. */
  readonly lead?: ComponentChildren;
  readonly here: Place | null;
  /** The page lies below the one of the navigation. */
  readonly below?: boolean;
  readonly around: Around;
}

/** A page of the dashboard as a whole HTML document. */
export const dashboardPage = ({ title, lead, here, below, around }: FrameProps, body: ComponentChildren): string =>
  document(
    {
      title: `${title.length > 40 ? `${title.slice(0, 39)}…` : title} · Perch dashboard`,
      description: 'Keys, credits and usage of your Perch account.',
      here: '/dashboard',
      style: 'dashboard.css',
    },
    <div class="wrap dash">
      <Side around={around} here={here} exact={below !== true} />
      <div class="dash-body">
        <div class="dash-title">
          <h1>
            <bdi>{title}</bdi>
          </h1>
          {lead === undefined ? null : <p class="soft">{lead}</p>}
        </div>
        {around.frozen ? (
          <Notice tone="bad" title="This account is frozen.">
            A payment dispute was lost, or the operator froze the account. No key works until you settle this with the
            operator.
          </Notice>
        ) : null}
        {around.done === null ? null : <Notice tone="ok" title={around.done} />}
        {body}
      </div>
    </div>,
  );

/** Says why a page cannot be shown, in the dashboard's frame. */
export const refusalPage = (around: Around, title: string, message: string): string =>
  dashboardPage(
    { title, here: null, around },
    <div class="card">
      <p>{message}</p>
      <p class="actions">
        <a class="button primary" href="/dashboard">
          Go to overview
        </a>
      </p>
    </div>,
  );
