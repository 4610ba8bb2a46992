import { readFileSync } from 'node:fs';
import { type AssetSet, assetSet, pathIn } from '../kit/asset-set.js';
import type { Picture } from '../site/landing-facts.js';
import { type Entry, filesOf, GROUPS, type Group } from './contents.js';

const FOLDER = new URL('../../../docs/', import.meta.url);

/** The example configuration for containers, which the pages link to. */
export const COMPOSE_PATH = '/docs/compose.yaml';

export const composeFile = (): string => readFileSync(new URL('../compose.yaml', FOLDER), 'utf8');

/** The address that the examples in `docs/` call, which is that of a service started with the defaults. */
const EXAMPLE_ADDRESS = 'http://127.0.0.1:4000';

/** A file of `docs/` for publication. */
export interface PageSource extends Entry {
  readonly group: Group;
  readonly markdown: string;
}

const PICTURE = /(?:src|srcset)="([^":]+\.png)"/g;

const fileOf = (name: string): URL => new URL(name.includes('/') ? `../${name}/README.md` : `${name}.md`, FOLDER);

const files = GROUPS.flatMap((group) =>
  filesOf(group).map((entry) => ({
    ...entry,
    group,
    markdown: readFileSync(fileOf(entry.name), 'utf8'),
  })),
);

const pictureFiles = new Map(
  files
    .flatMap(({ markdown }) => [...markdown.matchAll(PICTURE)].map(([, name = '']) => name))
    .map((name) => [name, readFileSync(new URL(name, FOLDER))]),
);

const PICTURES = assetSet('/docs/pictures', Object.fromEntries(pictureFiles));

/** The pictures of all pages, by path. */
export const docsPictures = (): AssetSet => PICTURES;

/** Undefined for a file that is not a picture of these pages. The first chunk of a PNG has its width and height. */
export function findPicture(name: string): Picture | undefined {
  const file = pictureFiles.get(name);
  if (file === undefined) return undefined;
  return { path: pathIn(PICTURES, name), width: file.readUInt32BE(16), height: file.readUInt32BE(20) };
}

/** The pictures of the dashboard's first page in docs/accounts.md, in both colour schemes. Throws if it shows none. */
export function dashboardPictures(): { readonly light: Picture; readonly dark: Picture } {
  const [light, dark] = ['light', 'dark'].map((scheme) => findPicture(`dashboard/overview-wide-${scheme}.png`));
  if (light === undefined || dark === undefined) throw new Error('The docs show no picture of the dashboard.');
  return { light, dark };
}

/** The pages of `docs/`. Examples for callers call `baseUrl`, which has no slash at the end. */
export const sourcesFor = (baseUrl: string): PageSource[] =>
  files.map((file) => ({
    ...file,
    markdown: file.group.isForCallers ? file.markdown.replaceAll(EXAMPLE_ADDRESS, baseUrl) : file.markdown,
  }));

/** A page's Markdown for programs: the same text, with the site's addresses of pictures. */
export const forPrograms = (markdown: string): string =>
  markdown.replaceAll(PICTURE, (whole, name: string) => whole.replace(name, findPicture(name)?.path ?? name));
