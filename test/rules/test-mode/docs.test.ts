/** docs/testing.md describes the handles correctly. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EMPTY_HANDLE, FAILING_HANDLES, PRIVATE_HANDLE } from '../../../demo/handles/failing-handles.js';
import { ERROR_CODES } from '../../../src/domain/errors.js';
import { PLAY_CREDITS } from '../../../src/domain/mode.js';
import { ROOT } from '../../docs/readme/markdown.js';

const PAGE = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8');

it('has a row for each failing handle, with its tweet, its answer and its meaning', () => {
  const rows = PAGE.split('\n').filter((line) => /^\| `\w+` \| `\d+` \|/.test(line));
  expect(rows).toEqual(
    FAILING_HANDLES.map(({ handle, tweetId, code, reason, standsFor }) => {
      const why = reason === undefined ? '' : `, reason \`${reason}\``;
      return `| \`${handle}\` | \`${tweetId}\` | ${ERROR_CODES[code].status} \`${code}\`${why} | ${standsFor} |`;
    }),
  );
});

it('names the other two handles and the number of play credits', () => {
  expect(PAGE).toContain(`| \`${PRIVATE_HANDLE}\` | shown`);
  expect(PAGE).toContain(`| \`${EMPTY_HANDLE}\` | shown`);
  expect(PAGE).toContain(`has ${PLAY_CREDITS.toLocaleString('en-US')} credits at its first request of each UTC day`);
});
