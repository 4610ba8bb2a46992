import { siteAssets } from '../kit/assets.js';

export type Scheme = 'light' | 'dark';

/** The colours of pictures: the values in the pages' own style sheets for the scheme. */
export interface Palette {
  readonly card: string;
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  /** Six colours that everyone can distinguish, in this order. */
  readonly series: readonly string[];
  /** For the remaining series combined. */
  readonly rest: string;
  readonly sans: string;
}

/** How many series have a colour of their own; further ones are summed up. */
export const SERIES_COLOURS = 6;

const sheet = (name: string): string => {
  for (const [path, { body }] of siteAssets()) if (path.endsWith(`/${name}`)) return body.toString('utf8');
  throw new RangeError(`There is no style sheet ${name}`);
};

/** Custom properties of `:root`; those of the dark scheme override the others. */
function properties(scheme: Scheme): Map<string, string> {
  const css = `${sheet('tokens.css')}\n${sheet('dashboard.css')}`;
  const found = new Map<string, string>();
  const light = css.replaceAll(/@media \(prefers-color-scheme: dark\) \{\s*:root \{[^{}]*\}\s*\}/g, '');
  const dark = [...css.matchAll(/@media \(prefers-color-scheme: dark\) \{\s*:root \{([^{}]*)\}/g)].map(
    (match) => match[1],
  );
  const roots = [...light.matchAll(/:root \{([^{}]*)\}/g)].map((match) => match[1]);
  for (const block of scheme === 'dark' ? [...roots, ...dark] : roots) {
    for (const line of (block ?? '').split(';')) {
      const colon = line.indexOf(':');
      if (colon !== -1) found.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
    }
  }
  return found;
}

/** Colours are defined only in the style sheets, and pictures use them from there. Throws where one is missing. */
export function paletteOf(scheme: Scheme): Palette {
  const all = properties(scheme);
  const value = (name: string): string => {
    const text = all.get(name);
    if (text === undefined) throw new RangeError(`No style sheet has ${name}`);
    const other = /^var\((--[a-z0-9-]+)\)$/.exec(text)?.[1];
    return other === undefined ? text : value(other);
  };
  return {
    card: value('--card'),
    ink: value('--ink'),
    soft: value('--ink-soft'),
    line: value('--line'),
    series: Array.from({ length: SERIES_COLOURS }, (_, index) => value(`--series-${index + 1}`)),
    rest: value('--series-rest'),
    sans: value('--sans').replaceAll('"', "'"),
  };
}
