import type { ComponentChildren } from 'preact';
import { LOGO_SVG } from './assets.js';
import { colouredParts, shellLines } from './files/code.js';

/** Decorative: hidden from screen readers. */
export const Bird = () => <div class="bird" aria-hidden="true" dangerouslySetInnerHTML={{ __html: LOGO_SVG }} />;

export const Section = (props: { id: string; title: string; lead?: string; children: ComponentChildren }) => (
  <section class="wrap section" aria-labelledby={props.id}>
    <h2 id={props.id}>{props.title}</h2>
    {props.lead === undefined ? null : <p class="lead">{props.lead}</p>}
    {props.children}
  </section>
);

interface CodeProps {
  readonly label?: string;
  /** What running it costs; a block with a price can be run. */
  readonly price?: string;
  /** Whether `copy.js` adds a copy button; by default to every block that can be run. */
  readonly isCopied?: boolean;
  readonly text: string;
  /** The language, named as in Markdown; text without one is not coloured. */
  readonly language?: string;
  /** The path that the page's script calls when the block is run on the page itself. */
  readonly runs?: string;
  /** Its position among the blocks. */
  readonly place?: string;
}

const Coloured = ({ text, language }: { text: string; language: string }) => (
  <>
    {colouredParts(text, language).map((part, at) =>
      part.kind === undefined ? (
        part.text
      ) : (
        <span key={at} class={part.kind}>
          {part.text}
        </span>
      ),
    )}
  </>
);

/** Commands in lines that fit; the price above each is not copied with it. */
const Commands = ({ text }: { text: string }) => (
  <>
    {shellLines(text).map((line, at, { length }) =>
      'aside' in line ? (
        <span key={at} class="price" data-aside={true}>
          {line.aside}
        </span>
      ) : (
        <Coloured key={at} text={at < length - 1 ? `${line.text}\n` : line.text} language="sh" />
      ),
    )}
  </>
);

/** Code. `tabIndex` lets the keyboard scroll it. */
export const Code = ({ label, price, isCopied = price !== undefined, text, language = '', runs, place }: CodeProps) => (
  <figure class={place === undefined ? 'code' : `code ${place}`}>
    {label === undefined ? null : (
      <figcaption>
        <span>{label}</span>
        {price === undefined ? null : <span class="price">{price}</span>}
      </figcaption>
    )}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
    <pre tabIndex={0} {...(isCopied ? { 'data-copy': true } : {})} data-run={runs}>
      <code>{language === 'sh' ? <Commands text={text} /> : <Coloured text={text} language={language} />}</code>
    </pre>
  </figure>
);

/**
 * `head`: the titles of the columns. The first cell of a row is its header; cells under `prose` are text, others
 * figures.
 */
export const Table = (props: {
  caption: string;
  head: readonly string[];
  rows: readonly (readonly ComponentChildren[])[];
  prose?: string;
}) => {
  const aligned = (title: string) => (title === props.prose ? { class: 'text' } : {});
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1)
    <section class="scroll" tabIndex={0} aria-label={props.caption}>
      <table>
        <caption>{props.caption}</caption>
        <thead>
          <tr>
            {props.head.map((title) => (
              <th key={title} scope="col" {...aligned(title)}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map(([header, ...cells], at) => (
            <tr key={at}>
              <th scope="row">{header}</th>
              {cells.map((cell, nth) => (
                <td key={nth} data-column={props.head[nth + 1]} {...aligned(props.head[nth + 1] ?? '')}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};
