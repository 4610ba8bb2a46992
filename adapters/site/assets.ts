import { readFileSync } from 'node:fs';
import { type AssetSet, assetSet, pathIn } from './asset-set.js';

const read = (name: string): Buffer => readFileSync(new URL(`./files/${name}`, import.meta.url));
const css = (...names: string[]): Buffer => Buffer.concat(names.map(read));

/** `tokens.css` also stands alone: GraphiQL takes the colours and the logo from here, but not the layout of the pages. */
const ASSETS = assetSet('/assets', {
  'site.css': css('tokens.css', 'site.css', 'parts.css', 'tables.css'),
  'tokens.css': read('tokens.css'),
  'copy.js': read('copy.js'),
  'logo.svg': read('logo.svg'),
  'favicon.svg': read('favicon.svg'),
});

/** Everything the pages ask for, by path; serve with `Cache-Control: public, max-age=31536000, immutable` (L10). */
export const siteAssets = (): AssetSet => ASSETS;

export const sitePath = (name: 'site.css' | 'tokens.css' | 'copy.js' | 'logo.svg' | 'favicon.svg'): string =>
  pathIn(ASSETS, name);

/** The logo's source, to be set into a page where it takes part in the layout. */
export const LOGO_SVG = read('logo.svg').toString('utf8');
