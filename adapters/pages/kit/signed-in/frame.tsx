import type { ComponentChildren } from 'preact';
import { ROLES } from '../../../../src/domain/audit.js';
import { queryString } from '../../../http/request.js';
import { document, MenuButton, MenuClose } from '../layout.js';
import type { SignedInRequest } from './authenticated-routes.js';
import { Notice } from './parts.js';

/** What every page needs for its frame. */
export interface PageLayout {
  /** The account's name. */
  readonly name: string;
  /** The email address of the signed-in person; null if it equals the name, or there is none. */
  readonly email: string | null;
  /** The person's role in the account, and the number of accounts that they are a member of. */
  readonly roleName: string;
  readonly accounts: number;
  /** A message about what was just done; null if the page was simply opened. */
  readonly flash: string | null;
  /** Up to when history is complete, if it lags far behind. */
  readonly historyAsOf?: Date | null;
}

/** `messages`: texts about what was just done, keyed by the name in the address. */
export function signedInLayout(
  { request, account, person, role, memberships, historyAsOf }: SignedInRequest,
  messages: Readonly<Record<string, string>>,
): PageLayout {
  const done = queryString(request).get('done') ?? '';
  return {
    name: account.name,
    email: person.email === account.name ? null : person.email,
    roleName: ROLES[role].name,
    accounts: memberships.length,
    flash: Object.hasOwn(messages, done) ? (messages[done] ?? null) : null,
    historyAsOf,
  };
}

/** Pages that belong together, for the navigation beside them. */
export interface Menu {
  readonly label: string;
  readonly pages: readonly { readonly href: string; readonly text: string }[];
  /** The last part of each document's title. */
  readonly title: string;
  readonly description: string;
}

const Side = (props: {
  menu: Menu;
  layout: PageLayout;
  here: string | null;
  exact: boolean;
  children: ComponentChildren;
}) => {
  const { menu, layout, here, exact, children } = props;
  return (
    <div class="side menu" id="side-menu" popover="auto">
      <MenuClose target="side-menu" />
      <nav aria-label={menu.label}>
        <ul>
          {menu.pages.map(({ href, text }) => (
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
      {children}
      <form method="post" action="/sign-out" class="who">
        <p>
          <bdi>{layout.name}</bdi>
          {layout.email === null ? null : <bdi class="soft">{layout.email}</bdi>}
          {layout.accounts > 1 ? (
            <span class="soft">
              {layout.roleName} · <a href="/dashboard/accounts">Switch account</a>
            </span>
          ) : null}
        </p>
        <button type="submit" class="button small">
          Sign out
        </button>
      </form>
    </div>
  );
};

export interface FrameProps {
  readonly title: string;
  /** A sentence under the title. */
  readonly lead?: ComponentChildren;
  readonly here: string | null;
  /** Whether the page is below the page `here`, which the navigation shows. */
  readonly below?: boolean;
  readonly layout: PageLayout;
  /** The page's own script; the page works without it. */
  readonly script?: 'dashboard-live.js' | 'email-change.js' | 'key-form.js';
}

/** What pages of one kind add to the frame. */
interface Surroundings {
  /** Shown across the page, above everything else. */
  readonly band?: ComponentChildren;
  /** Shown below the menu. */
  readonly side?: ComponentChildren;
  /** Shown before the message about what was just done. */
  readonly notices?: ComponentChildren;
}

/** A page for signed-in people as a complete HTML document. */
export const framedPage = (
  menu: Menu,
  { title, lead, here, below, layout, script }: FrameProps,
  body: ComponentChildren,
  { band = null, side = null, notices = null }: Surroundings = {},
): string =>
  document(
    {
      title: `${title.length > 40 ? `${title.slice(0, 39)}…` : title} · ${menu.title}`,
      description: menu.description,
      here: '/dashboard',
      style: 'dashboard.css',
      ...(script === undefined ? {} : { script }),
    },
    <>
      {band}
      <div class="wrap dash">
        <div class="menu-row">
          <MenuButton target="side-menu" text={menu.label} />
        </div>
        <Side menu={menu} layout={layout} here={here} exact={below !== true}>
          {side}
        </Side>
        <div class="dash-body">
          <div class="dash-title">
            <h1>
              <bdi>{title}</bdi>
            </h1>
            {lead === undefined ? null : <p class="soft">{lead}</p>}
          </div>
          {notices}
          {layout.flash === null ? null : <Notice tone="ok" title={layout.flash} />}
          {layout.historyAsOf == null ? null : (
            <Notice
              tone="plain"
              title={`Usage, requests, receipts and statements are as of ${layout.historyAsOf.toISOString().slice(0, 19).replace('T', ' ')} UTC.`}
            >
              Newer entries will follow. The balance is current.
            </Notice>
          )}
          {body}
        </div>
      </div>
    </>,
  );
