// Makes one request from the current content of the editors and the bar's fields.

import { byId } from './dom.js';

const CREDITS = /^\d+(\.\d{1,3})?$/;

/**
 * The most that a run may cost, in credits; undefined if the field is empty. Throws an error with a message for the
 * reader.
 */
export function budget() {
  const field = byId('budget');
  const text = field.value.trim();
  const isWrong = text !== '' && !CREDITS.test(text);
  if (isWrong) field.setAttribute('aria-invalid', 'true');
  else field.removeAttribute('aria-invalid');
  if (isWrong) throw new Error('The budget must be a number of credits with at most three decimals, such as 12.5.');
  return text === '' ? undefined : Number(text);
}

export function setBudget(credits) {
  const field = byId('budget');
  field.value = String(credits);
  field.removeAttribute('aria-invalid');
  field.focus();
}

function objectIn(editor, what) {
  const text = editor?.getValue().trim() || '{}';
  try {
    const value = JSON.parse(text);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value;
  } catch {}
  throw new Error(`The ${what} are not valid JSON: an object is expected.`);
}

/** `{ body, headers }` of the operation that would run now. Throws an error with a message for the reader. */
export function currentRequest({ queryEditor, variableEditor, headerEditor }) {
  const variables = objectIn(variableEditor, 'variables');
  const headers = objectIn(headerEditor, 'headers');
  const query = queryEditor.getValue();
  const operationName = queryEditor.operationName ?? undefined;
  return { body: withExtensions({ query, operationName, variables }, { maxCredits: budget() }), headers };
}

/** The same body with more extensions; undefined ones are removed. */
export const withExtensions = (body, more) => ({ ...body, extensions: { ...body.extensions, ...more } });
