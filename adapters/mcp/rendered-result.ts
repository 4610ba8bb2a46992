import type { Answer } from '../../src/serve/call.js';
import { Rendered } from '../../src/serve/rendered.js';
import { renderEnvelope } from '../rest/envelope.js';
import { linesOf, type ToolEnvelope } from './text.js';

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

/** Throws the field's failure if it failed (G5). */
export function renderResult(answer: Answer): RenderedResult {
  const { bytes } = renderEnvelope(answer);
  const lines = linesOf(JSON.parse(`${bytes}}`) as ToolEnvelope);
  return new RenderedResult(bytes, lines.map((line) => `${line}\n`).join(''));
}
