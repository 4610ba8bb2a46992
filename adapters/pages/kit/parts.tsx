import type { ComponentChildren } from 'preact';
import { LOGO_SVG } from './assets.js';

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
  readonly label: string;
  /** A block with a price can be run, and the page's script puts a copy button on it. */
  readonly price?: string;
  readonly text: string;
  /** The path that the page's script calls when the block is run on the page itself. */
  readonly runs?: string;
  /** Its position among the blocks. */
  readonly place?: string;
}

/** Code. `tabIndex` lets the keyboard scroll it. */
export const Code = ({ label, price, text, runs, place }: CodeProps) => (
  <figure class={place === undefined ? 'code' : `code ${place}`}>
    <figcaption>
      <span>{label}</span>
      {price === undefined ? null : <span class="price">{price}</span>}
    </figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
    <pre tabIndex={0} {...(price === undefined ? {} : { 'data-copy': true })} data-run={runs}>
      <code>{text}</code>
    </pre>
  </figure>
);

export const Table = (props: { caption: string; head: readonly string[]; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1)
  <section class="scroll" tabIndex={0} aria-label={props.caption}>
    <table>
      <caption>{props.caption}</caption>
      <thead>
        <tr>
          {props.head.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{props.children}</tbody>
    </table>
  </section>
);
