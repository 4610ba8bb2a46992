import { readFileSync } from 'node:fs';
import { type AssetSet, assetSet, pathIn } from '../kit/asset-set.js';
import { TEST_KEY_SCRIPT } from '../kit/assets.js';
import { packageFile } from '../kit/package-file.js';

const own = (name: string): Buffer => readFileSync(new URL(`browser/${name}`, import.meta.url));

const OWN_MODULES = [
  'graphiql-page.js',
  'bar.js',
  'copy.js',
  'editors.js',
  'offer.js',
  'prices.js',
  'request.js',
  'snippets.js',
  'storage.js',
  'tabs.js',
  'cost.js',
  'dom.js',
  'saved.js',
  'session.js',
  'transport.js',
  'failure-text.js',
] as const;

/**
 * Removes the embedded fonts, which are five sixths of the stylesheet. The page loads faster with the site's fonts
 * (`look.css`).
 */
const withoutFonts = (css: Buffer): Buffer =>
  Buffer.from(css.toString('utf8').replaceAll(/@font-face\s*\{[^{}]*\}/g, ''));

/**
 * GraphiQL 3 as its authors build it for a plain `<script>`. It uses CodeMirror, so it needs no workers and no eval;
 * docs/dependencies.md says why it is not a newer one. Nothing is loaded from elsewhere (U42).
 */
const ASSETS = assetSet('/graphql/assets', {
  'react.js': packageFile('react', 'umd/react.production.min.js'),
  'react-dom.js': packageFile('react-dom', 'umd/react-dom.production.min.js'),
  'graphiql.js': packageFile('graphiql', 'graphiql.min.js'),
  'graphiql.css': withoutFonts(packageFile('graphiql', 'graphiql.min.css')),
  'bar.css': own('bar.css'),
  'below.css': own('below.css'),
  'look.css': own('look.css'),
  'test-key.js': TEST_KEY_SCRIPT,
  ...Object.fromEntries(OWN_MODULES.map((name) => [name, own(name)])),
});

/** Everything that GraphiQL's page loads, except for the site's logo and colours. */
export const graphiqlAssets = (): AssetSet => ASSETS;

export const graphiqlPath = (name: string): string => pathIn(ASSETS, name);
