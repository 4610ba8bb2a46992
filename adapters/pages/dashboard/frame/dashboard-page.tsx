import type { ComponentChildren } from 'preact';
import type { Thousandths } from '../../../../src/domain/credits.js';
import { figure } from '../../../../src/domain/figures.js';
import { type Mode, PLAY_CREDITS } from '../../../../src/domain/mode.js';
import type { SignedInRequest } from '../../kit/signed-in/authenticated-routes.js';
import { formatAmount } from '../../kit/signed-in/formats.js';
import { type FrameProps, framedPage, type Menu, type PageLayout, signedInLayout } from '../../kit/signed-in/frame.js';
import { Notice } from '../../kit/signed-in/parts.js';

/** What surrounds every page of the dashboard. */
export interface DashboardLayout extends PageLayout {
  readonly frozen: boolean;
  /** On pages that show one mode at a time; null on the others. */
  readonly mode: Mode | null;
  /** Thousandths, of the account that the page shows: play credits in test mode. */
  readonly balance: Thousandths;
  /** Whether there is a link to the operator's pages. */
  readonly isOperator?: boolean;
}

/** What was just done, as shown on the next page; the address contains only the message's name. */
const FLASH_MESSAGES = {
  'key-changed': 'Key saved.',
  'key-shown': 'A key is shown only once, right after it was made. If you did not copy it, rotate it.',
  'key-revoked': 'Key revoked. It stops working everywhere within seconds.',
  'alert-set': 'Alert set.',
  'secret-shown': 'A signing secret is shown only once. If you did not copy it, remove the alert and set it again.',
  'alert-removed': 'Alert removed.',
  'alert-tested': 'Test sent. Its result is shown with the alert.',
  'client-revoked': 'App disconnected.',
  'session-ended': 'Session signed out.',
  'others-ended': 'All other sessions signed out.',
  renamed: 'Name saved.',
  'email-link-sent': 'If the address can be used, a link is on its way to it. It works once, for 10 minutes.',
  'email-changed': 'Email address changed. All other sessions were signed out.',
};

export function dashboardLayout(signedIn: SignedInRequest): DashboardLayout {
  const { account, isOperator, mode } = signedIn;
  const { frozen, balance } = account;
  return { ...signedInLayout(signedIn, FLASH_MESSAGES), frozen, isOperator, mode, balance };
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

const DASHBOARD: Menu = {
  label: 'Dashboard',
  pages: PAGES,
  title: 'Perch dashboard',
  description: 'Keys, credits and usage of your Perch account.',
};

const OPERATOR = { href: '/operator', text: 'Operator' };

/** Says which mode a page shows, and leads to the other. */
const ModeSwitch = ({ mode, here }: { mode: Mode; here: string | null }) => (
  <form method="post" action="/dashboard/mode" class="actions">
    <input type="hidden" name="from" value={here ?? ''} />
    <button type="submit" class="button small" name="mode" value={mode === 'test' ? 'live' : 'test'}>
      {mode === 'test' ? 'Leave test mode' : 'Switch to test mode'}
    </button>
  </form>
);

/** What the reader must know of the account before anything else. */
const Notices = ({ layout, here }: { layout: DashboardLayout; here: string | null }) => (
  <>
    {layout.mode === null ? null : (
      <>
        {layout.mode === 'test' ? (
          <Notice tone="warn" title="Test mode">
            Test keys read an invented network with {figure(PLAY_CREDITS)} play credits each day. Balance:{' '}
            {formatAmount(layout.balance)} play credits; your first read of a day (UTC) tops it up. This page shows
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
  </>
);

interface DashboardProps extends FrameProps {
  readonly here: PageHref | null;
  readonly layout: DashboardLayout;
}

/** A page of the dashboard as a complete HTML document. */
export const dashboardPage = (props: DashboardProps, body: ComponentChildren): string => {
  const { layout, here } = props;
  const menu = layout.isOperator === true ? { ...DASHBOARD, pages: [...PAGES, OPERATOR] } : DASHBOARD;
  return framedPage(menu, props, body, <Notices layout={layout} here={here} />);
};

/** Says why a page cannot be shown, in the dashboard's frame. */
export const refusalPage = (signedIn: SignedInRequest, title: string, message: string): string =>
  dashboardPage(
    { title, here: null, layout: dashboardLayout(signedIn) },
    <div class="card">
      <p>{message}</p>
      <p class="actions">
        <a class="button primary" href="/dashboard">
          Go to overview
        </a>
      </p>
    </div>,
  );
