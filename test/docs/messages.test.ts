/** Messages to callers end as sentences, on every interface. The kit's clients check the same of messages they receive. */
import ts from 'typescript';
import { expect, it } from 'vitest';
import { isCode, readSources } from '../kit/sources.js';

/** Calls that take a message, and which of their arguments it is. */
const MAKERS: Readonly<Record<string, number>> = {
  badRequest: 0,
  GraphQLError: 0,
  ServiceError: 1,
  OAuthError: 1,
  ProtocolError: 1,
};

/** A code that Apollo's clients know, and a message that ends in a list. */
const EXEMPT = /^(?:'PersistedQueryNotSupported'$|`.*Available paths:)/;

interface Message {
  readonly text: string;
  readonly endsWell: boolean;
}

/** The texts that an expression can be; none if only running it can tell. */
function messagesIn(expression: ts.Expression): Message[] {
  const text = expression.getText();
  if (ts.isStringLiteralLike(expression)) return [{ text, endsWell: isEnd(expression.text) }];
  if (ts.isConditionalExpression(expression)) {
    return [expression.whenTrue, expression.whenFalse].flatMap(messagesIn);
  }
  if (!ts.isTemplateExpression(expression)) return [];
  const { literal, expression: last } = expression.templateSpans.at(-1) as ts.TemplateSpan;
  if (literal.text !== '') return [{ text, endsWell: isEnd(literal.text) }];
  const inner = messagesIn(last);
  if (inner.length > 0) return inner.map(({ endsWell }) => ({ text, endsWell }));
  return [{ text, endsWell: ts.isCallExpression(last) && last.expression.getText() === 'sentence' }];
}

const isEnd = (text: string): boolean => /[.?!]$/.test(text);

function messagesOf(path: string, source: string): string[] {
  const found: string[] = [];
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const message = node.arguments?.[MAKERS[node.expression.getText()] ?? Number.NaN];
      if (message !== undefined) {
        const open = messagesIn(message).filter(({ text, endsWell }) => !endsWell && !EXEMPT.test(text));
        found.push(...open.map(({ text }) => `${path}: ${text}`));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

it.each([
  ["badRequest('No such thing')", 1],
  ["badRequest('No such thing.')", 0],
  ["badRequest(isOne ? 'One.' : 'Many')", 1],
  [`new ServiceError('not_found', \`No \${what}\`)`, 1],
  [`new ServiceError('not_found', \`No \${sentence(what)}\`)`, 0],
  [`new ServiceError('not_found', \`No \${what}.\`)`, 0],
])('finds in %s the messages that do not end as a sentence', (source, count) => {
  expect(messagesOf('a.ts', source)).toHaveLength(count);
});

it('ends every message as a sentence', () => {
  const product = readSources().filter(
    (source) => isCode(source) && /^(?:app|src|schema|adapters|demo)\//.test(source.path),
  );
  expect(product.flatMap(({ path, text }) => messagesOf(path, text))).toEqual([]);
});
