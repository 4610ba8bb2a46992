import type { Picture } from '../site/landing-facts.js';

const inner = (html: string) => ({ dangerouslySetInnerHTML: { __html: html } });

interface HeadingProps {
  readonly level: number;
  readonly id: string;
  readonly html: string;
  /** Whether the heading contains a link, so that it cannot be a link itself. */
  readonly isLinked: boolean;
}

/** A heading that links to itself, so that readers can copy its address. */
export const Heading = ({ level, id, html, isLinked }: HeadingProps) => {
  const Tag = `h${level}` as 'h2';
  if (level === 1 || isLinked) return <Tag id={id} {...inner(html)} />;
  return (
    <Tag id={id}>
      <a class="anchor" href={`#${id}`} {...inner(html)} />
    </Tag>
  );
};

export interface Cell {
  readonly html: string;
  readonly align: 'center' | 'left' | 'right' | null;
}

interface TableProps {
  readonly label: string;
  /** The titles of the columns as text, which a phone shows beside each cell. */
  readonly names: readonly string[];
  readonly head: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
}

const aligned = ({ align }: Cell) => (align === 'right' ? { class: 'figure' } : {});

export const DocsTable = ({ label, names, head, rows }: TableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1)
  <section class="scroll" tabIndex={0} aria-label={label}>
    <table>
      <thead>
        <tr>
          {head.map((cell, at) =>
            cell.html === '' ? <td key={at} /> : <th key={at} scope="col" {...aligned(cell)} {...inner(cell.html)} />,
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, line) => (
          <tr key={line}>
            {row.map((cell, at) => (
              <td key={at} data-column={names[at]} {...aligned(cell)} {...inner(cell.html)} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

interface IllustrationProps {
  readonly picture: Picture;
  readonly alt: string;
  readonly variants: readonly { readonly media: string; readonly path: string }[];
}

export const IllustrationBlock = ({ picture: { path, width, height }, alt, variants }: IllustrationProps) => (
  <p class="illustration">
    <picture>
      {variants.map((variant) => (
        <source key={variant.path} media={variant.media} srcset={variant.path} />
      ))}
      <img src={path} width={width} height={height} alt={alt} loading="lazy" />
    </picture>
  </p>
);

export const DocLink = ({ href, html }: { href: string; html: string }) => <a href={href} {...inner(html)} />;
