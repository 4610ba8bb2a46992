import { stripVTControlCharacters } from 'node:util';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { forPeople } from '../../adapters/cli/serve/log.js';

function logged(inColour: boolean, write: (log: pino.Logger) => void): string[] {
  const lines: string[] = [];
  write(
    pino(
      { level: 'info' },
      forPeople((line) => lines.push(line), inColour),
    ),
  );
  return lines;
}

const REQUESTS = [
  { method: 'GET', url: '/v1/users/harbor_obs', status: 200, operation: 'user', cache: 'hit', charge: 0.5, ms: 1.2 },
  { method: 'POST', url: '/graphql', status: 200, operation: 'Feed', cache: 'miss', charge: 1234.5, ms: 1234.5 },
  { method: 'GET', url: '/v1/users/nobody', status: 404, operation: 'user', code: 'not_found', ms: 12 },
  { method: 'GET', url: '/v1/users/a', status: 503, code: 'upstream_error', ms: 30_000 },
  { method: 'GET', url: '/docs', status: 304, ms: 0.3 },
  { method: 'GET', url: '/v1/users/a', aborted: true, ms: 5 },
];

describe('the log for people', () => {
  it('has one line per request, with aligned columns', () => {
    const lines = logged(false, (log) => {
      for (const request of REQUESTS) log.info({ request_id: 'id', ...request }, 'request');
    });
    expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''))).toEqual([
      '200      1.2 ms     0.5 credits hit     GET /v1/users/harbor_obs\n',
      '200  1,234.5 ms 1,234.5 credits miss    POST /graphql Feed\n',
      '404       12 ms                         GET /v1/users/nobody not_found\n',
      '503   30,000 ms                         GET /v1/users/a upstream_error\n',
      '304      0.3 ms                         GET /docs\n',
      'left       5 ms                         GET /v1/users/a\n',
    ]);
  });

  it('cuts a long address', () => {
    const [line] = logged(false, (log) => log.info({ method: 'GET', url: `/${'a'.repeat(2000)}`, ms: 1 }, 'request'));
    expect(line?.length).toBeLessThan(140);
  });

  it.each([
    [200, 32],
    [304, 36],
    [429, 33],
    [503, 31],
  ])('shows status %i in colour %i', (status, colour) => {
    const [line = ''] = logged(true, (log) => log.info({ method: 'GET', url: '/', status, ms: 1 }, 'request'));
    expect(line).toContain(`\u001b[${colour}m${status}`);
    expect(stripVTControlCharacters(line).slice(0, -1)).not.toMatch(/ $/);
    expect(stripVTControlCharacters(line)).toMatch(/^\d\d:\d\d:\d\d \d{3} /);
  });

  it('shows other messages with their fields', () => {
    const [line] = logged(false, (log) => log.warn({ seconds: 3 }, 'the network does not answer'));
    expect(line).toMatch(/WARN: the network does not answer \{"seconds":3\}\n$/);
  });
});
