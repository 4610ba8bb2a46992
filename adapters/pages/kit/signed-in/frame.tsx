import type { ComponentChildren } from 'preact';
import { ROLES } from '../../../../src/domain/audit.js';
import { queryString } from '../../../http/request.js';
import { document, MenuButton, MenuClose } from '../layout.js';
import type { SignedInRequest } from './authenticated-routes.js';
import { Notice } from './parts.js';

/** What surrounds every page. */
export interface PageLayout {
  /** The account's. */
  readonly name: string;
  /** Of the person who is signed in; null if it is the name, or there is none. */
  readonly email: string | null;
  /** What they are in the account, and how many accounts they are a member of. */
  readonly roleName: string;
  readonly accounts: number;
  /** A message about what was just done; null when the page was simply opened. */
  readonly flash: string | null;
  /** Until when history has everything, while it is well behind. */
  readonly historyAsOf?: Date | null;
}

/** `messages`: what was just done, by the name that the address contains. */
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

/** The pages that belong together, as the navigation beside them shows them. */
export interface Menu {
  readonly label: string;
  readonly pages: readonly { readonly href: string; readonly text: string }[];
  /** Completes the title of a document. */
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
  /** Whether the page is below the one in the navigation. */
  readonly below?: boolean;
  readonly layout: PageLayout;
  /** The page's own script; the page works without it. */
  readonly script?: 'dashboard-live.js' | 'email-change.js' | 'key-form.js';
}

/** What surrounds the pages of one kind. */
interface Surroundings {
  /** Across the page, above everything of it. */
  readonly band?: ComponentChildren;
  /** Below the menu. */
  readonly side?: ComponentChildren;
  /** Before what was just done. */
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
              What came later follows. The balance is current.
            </Notice>
          )}
          {body}
        </div>
      </div>
    </>,
  );
