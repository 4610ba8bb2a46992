/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { figure } from '../../src/core/figures.js';
import { type Mode, PLAY_CREDITS } from '../../src/core/mode.js';
import { document } from '../site/layout.js';
import { Notice } from './parts.js';

/** What surrounds every page of the dashboard. */
export interface PageLayout {
  readonly name: string;
  readonly email: string | null;
  readonly frozen: boolean;
  /** On pages that show one mode at a time; null on the others. */
  readonly mode: Mode | null;
  /** A message about what was just done; null when the page was simply opened. */
  readonly flash: string | null;
}

const PAGES = [
  { href: '/dashboard', text: 'Overview' },
  { href: '/dashboard/usage', text: 'Usage' },
  { href: '/dashboard/keys', text: 'Keys' },
  { href: '/dashboard/credits', text: 'Credits' },
  { href: '/dashboard/receipts', text: 'Receipts' },
  { href: '/dashboard/clients', text: 'Apps' },
  { href: '/dashboard/security', text: 'Security' },
] as const;

export type PageHref = (typeof PAGES)[number]['href'];

const Side = ({ layout, here, exact }: { layout: PageLayout; here: PageHref | null; exact: boolean }) => (
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
        <bdi>{layout.name}</bdi>
        {layout.email === null ? null : <bdi class="soft">{layout.email}</bdi>}
      </p>
      <button type="submit" class="button small">
        Sign out
      </button>
    </form>
  </div>
);

/** Says which mode a page shows, and leads to the other. */
const ModeSwitch = ({ mode, here }: { mode: Mode; here: PageHref | null }) => (
  <form method="post" action="/dashboard/mode" class="actions">
    <input type="hidden" name="from" value={here ?? ''} />
    <button type="submit" class="button small" name="mode" value={mode === 'test' ? 'live' : 'test'}>
      {mode === 'test' ? 'Leave test mode' : 'Switch to test mode'}
    </button>
  </form>
);

export interface FrameProps {
  readonly title: string;
  /** A sentence under the title. */
  readonly lead?: ComponentChildren;
  readonly here: PageHref | null;
  /** Whether the page is below the one in the navigation. */
  readonly below?: boolean;
  readonly layout: PageLayout;
}

/** A page of the dashboard as a complete HTML document. */
export const dashboardPage = ({ title, lead, here, below, layout }: FrameProps, body: ComponentChildren): string =>
  document(
    {
      title: `${title.length > 40 ? `${title.slice(0, 39)}…` : title} · Perch dashboard`,
      description: 'Keys, credits and usage of your Perch account.',
      here: '/dashboard',
      style: 'dashboard.css',
    },
    <div class="wrap dash">
      <Side layout={layout} here={here} exact={below !== true} />
      <div class="dash-body">
        <div class="dash-title">
          <h1>
            <bdi>{title}</bdi>
          </h1>
          {lead === undefined ? null : <p class="soft">{lead}</p>}
        </div>
        {layout.mode === null ? null : (
          <>
            {layout.mode === 'test' ? (
              <Notice tone="warn" title="Test mode">
                Test keys read an invented network with {figure(PLAY_CREDITS)} play credits each day. This page shows
                nothing of your live keys.
              </Notice>
            ) : null}
            <ModeSwitch mode={layout.mode} here={here} />
          </>
        )}
        {layout.frozen ? (
          <Notice tone="bad" title="This account is frozen.">
            A payment dispute was lost, or the operator froze the account. No key works until you settle this with the
            operator.
          </Notice>
        ) : null}
        {layout.flash === null ? null : <Notice tone="ok" title={layout.flash} />}
        {body}
      </div>
    </div>,
  );

/** Says why a page cannot be shown, in the dashboard's frame. */
export const refusalPage = (layout: PageLayout, title: string, message: string): string =>
  dashboardPage(
    { title, here: null, layout },
    <div class="card">
      <p>{message}</p>
      <p class="actions">
        <a class="button primary" href="/dashboard">
          Go to overview
        </a>
      </p>
    </div>,
  );
