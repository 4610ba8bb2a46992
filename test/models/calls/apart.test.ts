import { expect, it } from 'vitest';
import { importsOf, isCode, readSources } from '../../kit/sources.js';

it('the model imports only its own files, so it shares no code with the service', () => {
  const model = readSources().filter((source) => isCode(source) && /^test\/models\/calls\/(?!apart)/.test(source.path));
  expect(model.length).toBeGreaterThan(5);
  expect(model.flatMap(importsOf).filter(({ to }) => !to.startsWith('test/models/calls/'))).toEqual([]);
});
