import { readFileSync } from 'node:fs';
import { atomFeed } from '../kit/atom.js';
import { document } from '../kit/layout.js';
import { renderGuide } from './render.js';

export const CHANGELOG = '/changelog';
export const CHANGELOG_FEED = '/changelog.atom';

/** The changelog's text, with its links relative to `docs/`, like those of a page there. */
const TEXT = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8').replaceAll('](docs/', '](');

/** Removes the brackets from headings; in the file they look like links, but have no targets. */
const withPlainHeadings = (text: string): string =>
  text
    .replace('## [Unreleased]', '## In this service, before the next release')
    .replaceAll(/^## \[([0-9.]{1,20})\] - ([0-9-]{10})$/gm, '## $1, $2');

/** `GET /changelog`: CHANGELOG.md as a page. */
export const changelogPage = (): string =>
  document(
    {
      title: 'Changelog · Perch',
      description: 'What each version of Perch added, changed and fixed.',
      style: 'docs.css',
      feed: CHANGELOG_FEED,
    },
    <div class="wrap page narrow docs-body">
      <article dangerouslySetInnerHTML={{ __html: renderGuide(withPlainHeadings(TEXT)).html }} />
      <p class="as-markdown">
        <a href={CHANGELOG_FEED} type="application/atom+xml">
          Atom feed
        </a>
      </p>
    </div>,
  );

/** A version that was released, its day, and what its section says. */
interface Release {
  readonly version: string;
  readonly day: string;
  readonly markdown: string;
}

/** Leaves out unreleased changes: they have no day, so a feed cannot contain them. */
function releases(text: string): Release[] {
  const [, ...parts] = text.split(/^## /m);
  return parts.flatMap((part) => {
    const [, version = '', day = ''] =
      /^\[([0-9]+\.[0-9]+\.[0-9]+)\] - ([0-9]{4}-[0-9]{2}-[0-9]{2})$/.exec(part.split('\n', 1)[0] ?? '') ?? [];
    return day === '' ? [] : [{ version, day, markdown: part.slice(part.indexOf('\n') + 1) }];
  });
}

/** `GET /changelog.atom`: an entry for each release, the newest first as in the file. */
export function changelogFeed(baseUrl: string): string {
  const all = releases(TEXT);
  const at = (day: string): string => `${day}T00:00:00Z`;
  return atomFeed({
    ...{ baseUrl, path: CHANGELOG_FEED, page: CHANGELOG, title: 'Perch releases' },
    updated: at(all[0]?.day ?? '1970-01-01'),
    entries: all.map(({ version, day, markdown }) => ({
      ...{ name: version, title: `Perch ${version}`, published: at(day), updated: at(day) },
      // Feed readers show it elsewhere, so its links must be absolute.
      html: renderGuide(markdown).html.replaceAll('href="/', `href="${baseUrl}/`),
    })),
  });
}
