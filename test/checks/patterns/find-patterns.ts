import ts from 'typescript';
import type { Source } from '../../kit/sources.js';

/** A regular expression as it stands in the code. */
export interface Pattern {
  readonly source: string;
  readonly flags: string;
  /** `path:line`, the first line being 1. */
  readonly at: string;
}

/** A regular expression that is built when the code runs: `expression` is the call as it is written. */
export interface BuiltPattern {
  readonly path: string;
  readonly expression: string;
}

/** Every literal `/…/` of a file, and every call of `RegExp`. A call on one plain string counts as a literal. */
export function patternsOf(file: Source): { written: Pattern[]; built: BuiltPattern[] } {
  const { path, text } = file;
  const parsed = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const written: Pattern[] = [];
  const built: BuiltPattern[] = [];
  const visit = (node: ts.Node): void => {
    const at = `${path}:${parsed.getLineAndCharacterOfPosition(node.getStart(parsed)).line + 1}`;
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      written.push({ source: node.text.slice(1, end), flags: node.text.slice(end + 1), at });
    } else if (isCallOfRegExp(node, parsed)) {
      const [source, flags] = node.arguments ?? [];
      if (isPlain(source) && (flags === undefined || isPlain(flags))) {
        written.push({ source: source.text, flags: flags?.text ?? '', at });
      } else {
        built.push({ path, expression: node.getText(parsed) });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  return { written, built };
}

const isPlain = (node: ts.Expression | undefined): node is ts.StringLiteralLike =>
  node !== undefined && ts.isStringLiteralLike(node);

const isCallOfRegExp = (node: ts.Node, file: ts.SourceFile): node is ts.NewExpression | ts.CallExpression =>
  (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
  /^(?:globalThis\.|window\.)?RegExp$/.test(node.expression.getText(file));
