import type { ComponentChildren, VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { sitePath } from './assets.js';

interface PageProps {
  title: string;
  description: string;
  /** The address of the page, if the navigation has it. */
  here?: string;
  /** The page's style sheet besides `site.css`. */
  style?: 'dashboard.css' | 'docs.css';
  /** The page's script besides those of every page. */
  script?: 'dashboard-live.js' | 'email-change.js' | 'key-form.js' | 'first-reads.js' | 'docs-search.js' | 'try-it.js';
  /** The address of the page's Atom feed. */
  feed?: string;
  children: ComponentChildren;
}

export const NAVIGATION = [
  { href: '/docs', text: 'Docs' },
  { href: '/pricing', text: 'Pricing' },
  { href: '/graphql', text: 'GraphiQL' },
  { href: '/status', text: 'Status' },
  { href: '/dashboard', text: 'Dashboard' },
];

const FOOTER = [
  { href: '/docs', text: 'Documentation' },
  { href: '/docs/api', text: 'API reference' },
  { href: '/pricing', text: 'Pricing' },
  { href: '/docs/security', text: 'Security' },
  { href: '/problems', text: 'Errors' },
  { href: '/status', text: 'Status' },
  { href: '/changelog', text: 'Changelog' },
  { href: '/docs/testing', text: 'Test mode' },
  { href: '/llms.txt', text: 'For agents' },
  { href: '/legal', text: 'Licence and terms' },
];

const Footer = () => (
  <footer class="wrap">
    <div class="foot">
      <nav aria-label="Footer">
        <ul>
          {FOOTER.map(({ href, text }) => (
            <li key={href}>
              <a href={href}>{text}</a>
            </li>
          ))}
        </ul>
      </nav>
      {/* Shown by theme.js. */}
      <div class="theme" hidden>
        <label for="theme">Theme</label>
        <select id="theme" autocomplete="off">
          <option value="system">System</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </div>
      <p>Perch reads public data only. It never posts, likes, follows or messages.</p>
    </div>
  </footer>
);

/**
 * Opens a menu (an element with `class="menu"` and `popover`) on screens that are too narrow to show it beside the
 * page. Needs no script.
 */
export const MenuButton = ({ target, text }: { target: string; text: string }) => (
  <button type="button" class="menu-button" popovertarget={target}>
    {text}
  </button>
);

/** The button that closes a menu which covers the page. */
export const MenuClose = ({ target }: { target: string }) => (
  <button type="button" class="menu-button close" popovertarget={target} popovertargetaction="hide">
    Close
  </button>
);

const Header = ({ here }: { here?: string | undefined }) => (
  <header class="top">
    <div class="wrap top-row">
      <a class="brand" href="/" aria-label="Perch, home">
        <img src={sitePath('logo.svg')} alt="" width="40" height="40" />
        <span>Perch</span>
      </a>
      <MenuButton target="site-menu" text="Menu" />
      <nav aria-label="Main" class="site-menu" id="site-menu" popover="auto">
        <ul>
          {NAVIGATION.map(({ href, text }) => (
            <li key={href}>
              <a href={href} {...(href === here ? { 'aria-current': 'page' as const } : {})}>
                {text}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  </header>
);

const Page = ({ title, description, here, style, script, feed, children }: PageProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <title>{title}</title>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="description" content={description} />
      <meta name="color-scheme" content="light dark" />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content="Perch" />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      {feed === undefined ? null : <link rel="alternate" type="application/atom+xml" href={feed} title={title} />}
      <link rel="icon" href={sitePath('favicon.svg')} type="image/svg+xml" />
      <script src={sitePath('theme.js')} />
      <link rel="stylesheet" href={sitePath('site.css')} />
      {style === undefined ? null : <link rel="stylesheet" href={sitePath(style)} />}
      <script src={sitePath('copy.js')} type="module" />
      <script src={sitePath('send-once.js')} type="module" />
      {script === undefined ? null : <script src={sitePath(script)} type="module" />}
      {style === 'dashboard.css' ? <script src={sitePath('local-times.js')} type="module" /> : null}
    </head>
    <body>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <Header here={here} />
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <Footer />
    </body>
  </html>
);

/** The contact; a link if it is an email or web address. */
export const Contact = ({ contact }: { contact: string }) => {
  const href = /^https?:\/\//.test(contact)
    ? contact
    : /^[^\s<>@]+@[^\s<>@]+$/.test(contact)
      ? `mailto:${contact}`
      : null;
  return href === null ? <bdi>{contact}</bdi> : <a href={href}>{contact}</a>;
};

/** A complete HTML document; send it as `text/html; charset=utf-8` under SITE_CSP. */
export const document = (props: Omit<PageProps, 'children'>, body: VNode): string =>
  `<!doctype html>\n${render(<Page {...props}>{body}</Page>)}\n`;

/** What pages say about their operator; added when they are sent, because pages are made without knowing it. */
export interface Publisher {
  /** An email address, a web page, or any other text; null if not given, as for the others. */
  readonly contact: string | null;
  /** Addresses of the operator's own pages. */
  readonly terms: string | null;
  readonly privacy: string | null;
  readonly refunds: string | null;
}

export const NO_PUBLISHER: Publisher = { contact: null, terms: null, privacy: null, refunds: null };

const Operator = ({ contact, terms, privacy, refunds }: Publisher) => {
  const pages = [
    { href: terms, text: 'Terms of use' },
    { href: privacy, text: 'Privacy policy' },
    { href: refunds, text: 'Refund policy' },
  ];
  return (
    <div class="operator">
      {contact === null ? null : (
        <p>
          Contact and support: <Contact contact={contact} />
        </p>
      )}
      {pages.map(({ href, text }) =>
        href === null ? null : (
          <p key={text}>
            <a href={href}>{text}</a>
          </p>
        ),
      )}
    </div>
  );
};

/** Adds the operator's contact and pages to the footer of a page. */
export function withPublisher(page: string, publisher: Publisher): string {
  if (Object.values(publisher).every((given) => given === null)) return page;
  const end = page.lastIndexOf('</footer>');
  return page.slice(0, end) + render(<Operator {...publisher} />) + page.slice(end);
}

/**
 * Adds what search engines and link previews need to know about a public page: its canonical address, and a picture.
 */
export function withAddress(page: string, address: { readonly url: string; readonly picture: string | null }): string {
  const end = page.indexOf('</head>');
  const tags = render(
    <>
      <link rel="canonical" href={address.url} />
      <meta property="og:url" content={address.url} />
      {address.picture === null ? null : <meta property="og:image" content={address.picture} />}
      <meta name="twitter:card" content={address.picture === null ? 'summary' : 'summary_large_image'} />
    </>,
  );
  return page.slice(0, end) + tags + page.slice(end);
}
