import type { ComponentChildren } from 'preact';
import type { Thousandths } from '../../../../src/domain/credits.js';
import { figure } from '../../../../src/domain/figures.js';
import { type Mode, PLAY_CREDITS } from '../../../../src/domain/mode.js';
import { document } from '../../kit/layout.js';
import { amountOf } from './formats.js';
import { Notice } from './parts.js';

/** What surrounds every page of the dashboard. */
export interface PageLayout {
  readonly name: string;
  readonly email: string | null;
  readonly frozen: boolean;
  /** On pages that show one mode at a time; null on the others. */
  readonly mode: Mode | null;
  /** Thousandths, of the account that the page shows: play credits in test mode. */
  readonly balance: Thousandths;
  /** A message about what was just done; null when the page was simply opened. */
  readonly flash: string | null;
  /** Whether there is a link to the operator's pages. */
  readonly isOperator?: boolean;
}

const PAGES = [
  { href: '/dashboard', text: 'Overview' },
  { href: '/dashboard/usage', text: 'Usage' },
  { href: '/dashboard/keys', text: 'Keys' },
  { href: '/dashboard/credits', text: 'Credits' },
  { href: '/dashboard/receipts', text: 'Receipts' },
  { href: '/dashboard/alerts', text: 'Alerts' },
  { href: '/dashboard/clients', text: 'Apps' },
  { href: '/dashboard/security', text: 'Security' },
  { href: '/dashboard/account', text: 'Account' },
] as const;

export type PageHref = (typeof PAGES)[number]['href'];

/** The pages that belong together, as the navigation beside them shows them. */
export interface Menu {
  readonly label: string;
  readonly pages: readonly { readonly href: string; readonly text: string }[];
  /** Completes the title of a document. */
  readonly title: string;
  readonly description: string;
}

const DASHBOARD: Menu = {
  label: 'Dashboard',
  pages: PAGES,
  title: 'Perch dashboard',
  description: 'Keys, credits and usage of your Perch account.',
};

const OPERATOR = { href: '/operator', text: 'Operator' };

const Side = (props: { menu: Menu; layout: PageLayout; here: string | null; exact: boolean }) => {
  const { menu, layout, here, exact } = props;
  const pages = layout.isOperator === true ? [...menu.pages, OPERATOR] : menu.pages;
  return (
    <div class="side">
      <nav aria-label={menu.label}>
        <ul>
          {pages.map(({ href, text }) => (
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
};

/** Says which mode a page shows, and leads to the other. */
const ModeSwitch = ({ mode, here }: { mode: Mode; here: string | null }) => (
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
  readonly here: string | null;
  /** Whether the page is below the one in the navigation. */
  readonly below?: boolean;
  readonly layout: PageLayout;
  /** The page's own script; the page works without it. */
  readonly script?: 'dashboard-live.js' | 'email-change.js';
}

/** A page of the dashboard as a complete HTML document. */
export const dashboardPage = (
  props: FrameProps & { readonly here: PageHref | null },
  body: ComponentChildren,
): string => framedPage(DASHBOARD, props, body);

/** A page in the dashboard's frame, with another menu beside it. */
export const framedPage = (
  menu: Menu,
  { title, lead, here, below, layout, script }: FrameProps,
  body: ComponentChildren,
): string =>
  document(
    {
      title: `${title.length > 40 ? `${title.slice(0, 39)}…` : title} · ${menu.title}`,
      description: menu.description,
      here: '/dashboard',
      style: 'dashboard.css',
      ...(script === undefined ? {} : { script }),
    },
    <div class="wrap dash">
      <Side menu={menu} layout={layout} here={here} exact={below !== true} />
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
                Test keys read an invented network with {figure(PLAY_CREDITS)} play credits each day. Balance:{' '}
                {amountOf(layout.balance)} play credits; your first read of a day (UTC) tops it up. This page shows
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
