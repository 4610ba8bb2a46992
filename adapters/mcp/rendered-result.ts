import type { Answer } from '../../src/serve/call.js';
import { Rendered } from '../../src/serve/rendered.js';
import { renderEnvelope } from '../rest/envelope.js';
import { largeResult, sharedLines, type ToolEnvelope } from './text.js';

/**
 * The parts of a tool's result that calls share: the envelope of REST, which becomes `structuredContent`, and the lines
 * that describe its items. Each is kept with its encodings.
 */
export class RenderedResult extends Rendered {
  /** The beginning of a JSON string, without its quotes. */
  readonly lines: Rendered;

  constructor(envelope: Buffer, lines: string) {
    super(envelope);
    this.lines = new Rendered(Buffer.from(JSON.stringify(lines).slice(1, -1)));
  }

  override get size(): number {
    return super.size + this.lines.size;
  }

  override whenGrown(grown: () => void): void {
    super.whenGrown(grown);
    this.lines.whenGrown(grown);
  }
}

/** Clients pass on about 25,000 tokens of a result, and drop the rest or all of it. */
const LARGE_TOKENS = 20_000;
/** A lower bound: English has four, Chinese three, ids three. */
const BYTES_PER_TOKEN = 3;

/** Throws the field's failure if it failed. */
export function renderResult(answer: Answer): RenderedResult {
  const envelope = JSON.parse(`${renderEnvelope(answer).bytes}}`) as ToolEnvelope;
  const lines = sharedLines(envelope);
  const once = { ...envelope, ...(Array.isArray(envelope.data) && { data: withAuthorsOnce(envelope.data) }) };
  const rendered = resultFrom(once, lines);
  const tokens = Math.ceil(rendered.size / BYTES_PER_TOKEN);
  if (tokens <= LARGE_TOKENS) return rendered;
  const warning = largeResult(tokens);
  return resultFrom({ warnings: [warning], ...once }, [warning, ...lines]);
}

const resultFrom = (envelope: object, lines: readonly string[]): RenderedResult =>
  new RenderedResult(Buffer.from(JSON.stringify(envelope).slice(0, -1)), lines.map((line) => `${line}\n`).join(''));

/**
 * Leaves each author as an object only on the first of their tweets; every tweet names its author in `author_id` (A39).
 */
function withAuthorsOnce(items: readonly unknown[]): unknown[] {
  const seen = new Set<unknown>();
  return items.map((item) => {
    const { author, ...rest } = item as { author?: { id: unknown } };
    if (author === undefined || !seen.has(author.id)) {
      seen.add(author?.id);
      return item;
    }
    return rest;
  });
}
