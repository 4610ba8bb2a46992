import { h } from 'preact';
import { render } from 'preact-render-to-string';

export const ATOM = 'application/atom+xml; charset=utf-8';

interface Entry {
  /** Identifies the entry within the feed; must never change. */
  readonly name: string;
  readonly title: string;
  /** RFC 3339, like `updated`. */
  readonly published: string;
  readonly updated: string;
  readonly html: string;
}

interface Feed {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** The paths of the feed and of the page with the same content. */
  readonly path: string;
  readonly page: string;
  readonly title: string;
  readonly updated: string;
  /** The newest first. */
  readonly entries: readonly Entry[];
}

/** An Atom feed (RFC 4287). */
export function atomFeed({ baseUrl, path, page, title, updated, entries }: Feed): string {
  const feed = h('feed', { xmlns: 'http://www.w3.org/2005/Atom' }, [
    h('id', null, `${baseUrl}${path}`),
    h('title', null, title),
    h('updated', null, updated),
    h('author', null, h('name', null, 'Perch')),
    h('link', { rel: 'self', type: 'application/atom+xml', href: `${baseUrl}${path}` }),
    h('link', { rel: 'alternate', type: 'text/html', href: `${baseUrl}${page}` }),
    ...entries.map((entry) =>
      h('entry', null, [
        h('id', null, `${baseUrl}${page}#${entry.name}`),
        h('title', null, entry.title),
        h('published', null, entry.published),
        h('updated', null, entry.updated),
        h('link', { rel: 'alternate', type: 'text/html', href: `${baseUrl}${page}` }),
        h('content', { type: 'html' }, entry.html),
      ]),
    ),
  ]);
  return `<?xml version="1.0" encoding="utf-8"?>\n${render(feed)}\n`;
}
