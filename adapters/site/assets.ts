import { readFileSync } from 'node:fs';
import { type AssetSet, assetSet, pathIn } from './asset-set.js';
import { packageFile } from './package-file.js';

const read = (name: string): Buffer => readFileSync(new URL(`./files/${name}`, import.meta.url));
const css = (...names: string[]): Buffer => Buffer.concat(names.map(read));

/**
 * `tokens.css` is also used on its own: GraphiQL takes the colours and the logo from here, but not the pages' layout.
 */
const ASSETS = assetSet('/assets', {
  'site.css': css('tokens.css', 'site.css', 'parts.css', 'tables.css', 'first-reads.css', 'sign-in.css', 'consent.css'),
  'tokens.css': read('tokens.css'),
  'dashboard.css': css('dashboard.css', 'dashboard-parts.css'),
  'copy.js': read('copy.js'),
  'first-reads.js': read('first-reads.js'),
  'sign-in.js': read('sign-in.js'),
  'passkeys.js': read('passkeys.js'),
  'webauthn-page.js': read('webauthn-page.js'),
  // The complete package as its authors build it for a plain `<script>`.
  'webauthn.js': packageFile('@simplewebauthn/browser', 'dist/bundle/index.umd.min.js'),
  'logo.svg': read('logo.svg'),
  'favicon.svg': read('favicon.svg'),
});

/** Everything that the pages load, by path; serve with `Cache-Control: public, max-age=31536000, immutable` (L10). */
export const siteAssets = (): AssetSet => ASSETS;

export const sitePath = (
  name:
    | 'site.css'
    | 'tokens.css'
    | 'dashboard.css'
    | 'copy.js'
    | 'first-reads.js'
    | 'sign-in.js'
    | 'passkeys.js'
    | 'logo.svg'
    | 'favicon.svg',
): string => pathIn(ASSETS, name);

/** The logo's source, for pages where it takes part in the layout. */
export const LOGO_SVG = read('logo.svg').toString('utf8');
