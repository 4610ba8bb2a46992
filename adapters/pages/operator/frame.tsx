import type { ComponentChildren } from 'preact';
import { layoutOf, queryOf } from '../dashboard/frame/authenticated-routes.js';
import { type FrameProps, framedPage, type Menu, type PageLayout } from '../dashboard/frame/frame.js';
import type { SignedInRequest } from '../dashboard/frame/services.js';

const MENU = {
  label: 'Operator',
  title: 'Perch operator',
  description: 'Accounts, money and traffic of this Perch server.',
  pages: [
    { href: '/operator', text: 'Accounts' },
    { href: '/operator/money', text: 'Money' },
    { href: '/operator/traffic', text: 'Traffic' },
    { href: '/operator/reads', text: 'Reads' },
    { href: '/operator/actions', text: 'Actions' },
    { href: '/dashboard', text: 'Your dashboard' },
  ],
} as const satisfies Menu;

type Here = Exclude<(typeof MENU.pages)[number]['href'], '/dashboard'>;

/** What was just done, as the next page shows it; the address contains only the message's name. */
const MESSAGES: Readonly<Record<string, string>> = {
  frozen: 'Account frozen. Its keys are refused everywhere within seconds.',
  thawed: 'Account thawed. Its keys work again.',
  granted: 'Credits granted.',
};

/** In place of the customer's own: their account's state is no matter here. */
export function operatorLayout(signedIn: SignedInRequest): PageLayout {
  const done = queryOf(signedIn.request).get('done') ?? '';
  const flash = Object.hasOwn(MESSAGES, done) ? (MESSAGES[done] ?? null) : null;
  return { ...layoutOf(signedIn), frozen: false, isOperator: false, flash };
}

/** A page of the operator's as a complete HTML document. */
export const operatorPage = (props: FrameProps & { readonly here: Here | null }, body: ComponentChildren): string =>
  framedPage(MENU, props, body);

/** Says why something was refused. */
export const operatorRefusal = (layout: PageLayout, title: string, message: string): string =>
  operatorPage(
    { title, here: null, layout: { ...layout, frozen: false, isOperator: false } },
    <div class="card">
      <p>{message}</p>
      <p class="actions">
        <a class="button primary" href="/operator">
          Go to accounts
        </a>
      </p>
    </div>,
  );
