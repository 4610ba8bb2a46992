import ts from 'typescript';
import type { Source } from '../kit/sources.js';

/** A constant of the code that bounds something. */
export interface Bound {
  /** The name that pages use for it, such as `src/documents/limits.ts LIMITS.depth`. */
  readonly where: string;
  readonly value: number;
}

/** The name of a constant that bounds something, or of the object that contains it. */
const BOUNDS = /(?:^|_)(?:MOST|MAX|LONGEST|LIMITS?|BOUNDS?|KEPT|MEMORIES|PATIENCE|SHARES?)(?:_|$)/;

/** The constants at the top level of a file that are bounds by their name; those inside objects have their path. */
export function boundsIn({ path, text }: Source): Bound[] {
  const constants = new Map<string, ts.Expression>();
  for (const statement of ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true).statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (ts.isIdentifier(name) && initializer) constants.set(name.text, initializer);
    }
  }
  return [...constants].flatMap(([name, expression]) =>
    BOUNDS.test(name) ? figuresIn(`${path} ${name}`, expression, constants) : [],
  );
}

function figuresIn(where: string, expression: ts.Expression, constants: ReadonlyMap<string, ts.Expression>): Bound[] {
  const bare = withoutType(expression);
  if (ts.isObjectLiteralExpression(bare)) {
    return bare.properties.flatMap((part) =>
      ts.isPropertyAssignment(part) ? figuresIn(`${where}.${part.name.getText()}`, part.initializer, constants) : [],
    );
  }
  const value = figureOf(bare, constants);
  return value === undefined ? [] : [{ where, value }];
}

/** The expression without `as const` and `satisfies`. */
function withoutType(expression: ts.Expression): ts.Expression {
  const isTyped =
    ts.isAsExpression(expression) || ts.isSatisfiesExpression(expression) || ts.isParenthesizedExpression(expression);
  return isTyped ? withoutType(expression.expression) : expression;
}

/** The value of literals, other constants of the file, sums and products; undefined for anything else. */
function figureOf(expression: ts.Expression, constants: ReadonlyMap<string, ts.Expression>): number | undefined {
  const bare = withoutType(expression);
  if (ts.isNumericLiteral(bare)) return Number(bare.text);
  if (ts.isIdentifier(bare)) {
    const other = constants.get(bare.text);
    return other && figureOf(other, constants);
  }
  if (!ts.isBinaryExpression(bare)) return undefined;
  const [left, right] = [figureOf(bare.left, constants), figureOf(bare.right, constants)];
  if (left === undefined || right === undefined) return undefined;
  if (bare.operatorToken.kind === ts.SyntaxKind.AsteriskToken) return left * right;
  if (bare.operatorToken.kind === ts.SyntaxKind.SlashToken) return left / right;
  if (bare.operatorToken.kind === ts.SyntaxKind.PlusToken) return left + right;
  return bare.operatorToken.kind === ts.SyntaxKind.MinusToken ? left - right : undefined;
}

const UNITS = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, s: 1000, min: 60_000, h: 3_600_000, '%': 0.01 } as const;

/** How a page may write a figure: plain, with commas, in binary units (bytes), or in seconds and longer (milliseconds). */
export function writtenAs(value: number): string[] {
  const inUnits = Object.entries(UNITS)
    .map(([unit, size]) => ({ unit, count: Math.round((value / size) * 1000) / 1000, size }))
    .filter(({ count, size }) => count * size === value && count >= 0.1)
    .flatMap(({ unit, count }) => [`${count} ${unit}`, `${count.toLocaleString('en-US')} ${unit}`]);
  return [String(value), value.toLocaleString('en-US'), ...inUnits];
}
