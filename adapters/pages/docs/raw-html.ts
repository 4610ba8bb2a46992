import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { pictureOf } from './sources.js';

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

const isElement = (node: Node): node is Element => 'tagName' in node;

const attribute = ({ attrs }: Element, name: string): string | undefined =>
  attrs.find((each) => each.name === name)?.value;

/** A picture with the variants of a colour scheme, all of them files of these pages. */
export interface Illustration {
  readonly name: string;
  readonly alt: string;
  readonly variants: readonly { readonly media: string; readonly name: string }[];
}

/** The pictures of a block of HTML in a Markdown file. Nothing else of it reaches the site: comments, scripts, styles. */
export function illustrationsIn(html: string): Illustration[] {
  const found: Illustration[] = [];
  const visit = (nodes: readonly Node[], variants: Illustration['variants']): void => {
    for (const element of nodes.filter(isElement)) {
      if (element.tagName === 'picture') visit(element.childNodes, variantsOf(element));
      if (element.tagName !== 'img') continue;
      const name = attribute(element, 'src') ?? '';
      if (pictureOf(name) !== undefined) found.push({ name, alt: attribute(element, 'alt') ?? '', variants });
    }
  };
  visit(parseFragment(html).childNodes, []);
  return found;
}

const variantsOf = ({ childNodes }: Element): Illustration['variants'] =>
  childNodes
    .filter(isElement)
    .filter(({ tagName }) => tagName === 'source')
    .map((source) => ({ media: attribute(source, 'media') ?? '', name: attribute(source, 'srcset') ?? '' }))
    .filter(({ name }) => pictureOf(name) !== undefined);
