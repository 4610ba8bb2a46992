import type { ComponentChildren } from 'preact';
import type { SignedInRequest } from '../kit/signed-in/authenticated-routes.js';
import { type FrameProps, framedPage, type Menu, type PageLayout, signedInLayout } from '../kit/signed-in/frame.js';

const MENU = {
  label: 'Operator',
  title: 'Perch operator',
  description: 'Accounts, money and traffic of this Perch server.',
  pages: [
    { href: '/operator', text: 'Overview' },
    { href: '/operator/accounts', text: 'Accounts' },
    { href: '/operator/money', text: 'Money' },
    { href: '/operator/traffic', text: 'Traffic' },
    { href: '/operator/reads', text: 'Reads' },
    { href: '/operator/actions', text: 'Actions' },
    { href: '/dashboard', text: 'Your dashboard' },
  ],
} as const satisfies Menu;

type Here = Exclude<(typeof MENU.pages)[number]['href'], '/dashboard'>;

/** Messages about what was just done, shown on the next page; the address contains only a message's name. */
const MESSAGES: Readonly<Record<string, string>> = {
  frozen: 'Account frozen. Its keys are refused everywhere within seconds.',
  thawed: 'Account thawed. Its keys work again.',
  granted: 'Credits granted.',
  limits: 'Rate limit changed. It applies everywhere within seconds.',
  noted: 'Note saved.',
};

export const operatorLayout = (signedIn: SignedInRequest): PageLayout => signedInLayout(signedIn, MESSAGES);

/** An operator's page as a complete HTML document. */
export const operatorPage = (props: FrameProps & { readonly here: Here | null }, body: ComponentChildren): string =>
  framedPage(MENU, props, body);

/** A page that says why something was refused. */
export const operatorRefusal = (signedIn: SignedInRequest, title: string, message: string): string =>
  operatorPage(
    { title, here: null, layout: operatorLayout(signedIn) },
    <div class="card">
      <p>{message}</p>
      <p class="actions">
        <a class="button primary" href="/operator/accounts">
          Go to accounts
        </a>
      </p>
    </div>,
  );
