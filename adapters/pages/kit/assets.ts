import { readFileSync } from 'node:fs';
import { type AssetSet, assetSet, pathIn } from './asset-set.js';
import { packageFile } from './package-file.js';

const read = (path: string): Buffer => readFileSync(new URL(path, import.meta.url));
/** Served next to the scripts that import it, both here and in GraphiQL's set. */
export const TEST_KEY_SCRIPT = read('./files/test-key.js');
const css = (...paths: string[]): Buffer => Buffer.concat(paths.map(read));

/**
 * `tokens.css` is also used on its own: GraphiQL takes the colours and the logo from here, but not the pages' layout.
 */
const ASSETS = assetSet('/assets', {
  'site.css': css(
    ...[
      './files/tokens.css',
      './files/site.css',
      './files/parts.css',
      './files/tables.css',
      '../site/files/first-reads.css',
      '../site/files/pricing.css',
    ],
    ...['../sign-in/files/sign-in.css', '../../oauth/files/consent.css'],
  ),
  'tokens.css': read('./files/tokens.css'),
  'dashboard.css': css('../dashboard/files/dashboard.css', '../dashboard/files/dashboard-parts.css'),
  'dashboard-live.js': read('../dashboard/files/live.js'),
  'local-times.js': read('../dashboard/files/local-times.js'),
  'email-change.js': read('../dashboard/files/email-change.js'),
  'key-form.js': read('../dashboard/files/key-form.js'),
  'docs.css': css('../docs/files/docs.css', '../docs/files/reference.css'),
  'docs-search.js': read('../docs/files/docs-search.js'),
  'test-key.js': TEST_KEY_SCRIPT,
  'docs-ranking.js': read('../docs/files/docs-ranking.js'),
  'try-it.js': read('../docs/files/try-it.js'),
  'samples.js': read('../docs/files/samples.js'),
  'code.js': read('./files/code.js'),
  'minisearch.js': packageFile('minisearch', 'dist/es/index.js'),
  'copy.js': read('./files/copy.js'),
  'send-once.js': read('./files/send-once.js'),
  'theme.js': read('./files/theme.js'),
  'first-reads.js': read('../site/files/first-reads.js'),
  'sign-in.js': read('../sign-in/files/sign-in.js'),
  'passkeys.js': read('../sign-in/files/passkeys.js'),
  'webauthn-page.js': read('../sign-in/files/webauthn-page.js'),
  // The complete package as its authors build it for a plain `<script>`.
  'webauthn.js': packageFile('@simplewebauthn/browser', 'dist/bundle/index.umd.min.js'),
  'logo.svg': read('./files/logo.svg'),
  'favicon.svg': read('./files/favicon.svg'),
});

/** Every file that the pages load, by path. */
export const siteAssets = (): AssetSet => ASSETS;

export const sitePath = (
  name:
    | 'site.css'
    | 'tokens.css'
    | 'dashboard.css'
    | 'dashboard-live.js'
    | 'email-change.js'
    | 'key-form.js'
    | 'local-times.js'
    | 'docs.css'
    | 'docs-search.js'
    | 'try-it.js'
    | 'copy.js'
    | 'send-once.js'
    | 'theme.js'
    | 'first-reads.js'
    | 'sign-in.js'
    | 'passkeys.js'
    | 'logo.svg'
    | 'favicon.svg',
): string => pathIn(ASSETS, name);

/** The logo's source, for pages that embed it as part of their layout. */
export const LOGO_SVG = read('./files/logo.svg').toString('utf8');
