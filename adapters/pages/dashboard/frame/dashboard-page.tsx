import type { ComponentChildren } from 'preact';
import type { Role } from '../../../../src/domain/audit.js';
import type { Thousandths } from '../../../../src/domain/credits.js';
import { figure } from '../../../../src/domain/figures.js';
import { type Mode, PLAY_CREDITS } from '../../../../src/domain/mode.js';
import type { SignedInRequest } from '../../kit/signed-in/authenticated-routes.js';
import { formatAmount } from '../../kit/signed-in/formats.js';
import { type FrameProps, framedPage, type Menu, type PageLayout, signedInLayout } from '../../kit/signed-in/frame.js';
import { Notice } from '../../kit/signed-in/parts.js';
import { withAccountNamed, withLockedForms } from '../members/permissions.js';

/** What every page of the dashboard needs for its frame. */
export interface DashboardLayout extends PageLayout {
  /** The customer's own account, even if the page shows its test account. */
  readonly accountId: string;
  readonly frozen: boolean;
  /** The reader's role, which decides what they may do. */
  readonly role: Role;
  readonly mode: Mode;
  /** Play credits in thousandths if the page shows the test account; null if it shows the customer's own account. */
  readonly playCredits: Thousandths | null;
  /** Whether there is a link to the operator's pages. */
  readonly isOperator?: boolean;
}

/** Messages about what was just done, shown on the next page; the address contains only a message's name. */
const FLASH_MESSAGES = {
  'key-changed': 'Key saved.',
  'key-shown': 'A key is shown only once, right after it was made. If you did not copy it, rotate it.',
  'key-revoked': 'Key revoked. It stops working everywhere within seconds.',
  'alert-set': 'Alert set.',
  'secret-shown': 'A signing secret is shown only once. If you did not copy it, remove the alert and set it again.',
  'alert-removed': 'Alert removed.',
  'sent-again': 'Sent again. The result is shown with the delivery.',
  'alert-tested': 'Test sent. Its result is shown with the alert.',
  'watch-added': 'Watching. New items are sent to your server from now on.',
  'watch-paused': 'Paused. Nothing is sent or charged until you resume it.',
  'watch-resumed': 'Resumed where it stopped.',
  'watch-ended': 'Ended. Its deliveries are kept for a while.',
  'client-revoked': 'App disconnected.',
  'session-ended': 'Session signed out.',
  'others-ended': 'All other sessions signed out.',
  renamed: 'Name saved.',
  'email-link-sent': 'If the address can be used, a link is on its way to it. It works once, for 10 minutes.',
  'member-invited': 'Invitation sent. It works for 7 days.',
  'link-shown': 'The link is shown only once. If you did not copy it, invite again.',
  'invitation-withdrawn': 'Invitation withdrawn.',
  'role-changed': 'Role changed.',
  'member-removed': 'Member removed.',
  transferred: 'Ownership transferred. You are now a developer of this account.',
  joined: 'You are now a member of this account.',
  switched: 'You now see this account.',
  left: 'You left the account.',
  deleted: 'The account was deleted.',
  'email-changed': 'Email address changed. All other sessions were signed out.',
};

export function dashboardLayout(signedIn: SignedInRequest): DashboardLayout {
  const { account, live, isOperator, mode, role } = signedIn;
  const { frozen, balance, testOf } = account;
  const { accountId } = live;
  const playCredits = testOf === null ? null : balance;
  const common = signedInLayout(signedIn, FLASH_MESSAGES);
  return { ...common, accountId, frozen, role, isOperator, mode: mode ?? 'live', playCredits };
}

const PAGES = [
  { href: '/dashboard', text: 'Overview' },
  { href: '/dashboard/usage', text: 'Usage' },
  { href: '/dashboard/usage/requests', text: 'Requests' },
  { href: '/dashboard/keys', text: 'Keys' },
  { href: '/dashboard/connect', text: 'Connect an agent' },
  { href: '/dashboard/credits', text: 'Credits' },
  { href: '/dashboard/receipts', text: 'Receipts' },
  { href: '/dashboard/watches', text: 'Watches' },
  { href: '/dashboard/alerts', text: 'Alerts' },
  { href: '/dashboard/clients', text: 'Apps' },
  { href: '/dashboard/security', text: 'Security' },
  { href: '/dashboard/members', text: 'Members' },
  { href: '/dashboard/account', text: 'Account' },
] as const;

export type PageHref = (typeof PAGES)[number]['href'];

export const isMenuPage = (href: string): href is PageHref => PAGES.some((page) => page.href === href);

const DASHBOARD: Menu = {
  label: 'Dashboard',
  pages: PAGES,
  title: 'Perch dashboard',
  description: 'Keys, credits and usage of your Perch account.',
};

const OPERATOR = { href: '/operator', text: 'Operator' };

/** Turns test mode on and off for all pages. */
const ModeSwitch = ({ mode, here }: { mode: Mode; here: string | null }) => (
  <form method="post" action="/dashboard/mode" class="mode">
    <input type="hidden" name="from" value={here ?? ''} />
    <button
      type="submit"
      role="switch"
      aria-checked={mode === 'test'}
      name="mode"
      value={mode === 'test' ? 'live' : 'test'}
    >
      Test mode
    </button>
  </form>
);

/** The band across the top of every page while test mode is on. */
const TestBand = ({ playCredits }: Pick<DashboardLayout, 'playCredits'>) => (
  <div class="band">
    <p class="wrap">
      <strong>Test mode</strong>{' '}
      {playCredits === null ? (
        'This page is about your account and is the same in both modes.'
      ) : (
        <>
          Invented data, for test keys. {formatAmount(playCredits)} of {figure(PLAY_CREDITS)} play credits left today
          (UTC).
        </>
      )}
    </p>
  </div>
);

/** What the reader must know about the account before anything else. */
const Notices = ({ frozen }: Pick<DashboardLayout, 'frozen'>) =>
  frozen ? (
    <Notice tone="bad" title="This account is frozen.">
      A payment dispute was lost, or the operator froze the account. No key works until you settle this with the
      operator.
    </Notice>
  ) : null;

interface DashboardProps extends FrameProps {
  readonly here: PageHref | null;
  readonly layout: DashboardLayout;
  /** Whether the page shows a secret that is never shown again, so that nothing on it may lead away by accident. */
  readonly once?: boolean;
}

/** A page of the dashboard as a complete HTML document. */
export const dashboardPage = (props: DashboardProps, body: ComponentChildren): string => {
  const { layout, here, once = false } = props;
  const menu = layout.isOperator === true ? { ...DASHBOARD, pages: [...PAGES, OPERATOR] } : DASHBOARD;
  const page = framedPage(menu, props, body, {
    band: layout.mode === 'test' ? <TestBand {...layout} /> : null,
    side: once ? null : <ModeSwitch mode={layout.mode} here={here} />,
    notices: <Notices {...layout} />,
  });
  return withLockedForms(withAccountNamed(page, layout.accountId), layout.role);
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
