import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { until } from '../../kit/time/until.js';

const LOG = new URL('../../../adapters/cli/serve/log.ts', import.meta.url).href;
const START = `import { createLog } from ${JSON.stringify(LOG)}; const log = createLog({ level: 'info', format: 'json' });`;

describe('writes every logged line', () => {
  it.each([
    ['at the end', `log.info('last words');`],
    ['when the process exits', `log.info('last words'); process.exit(0);`],
    ['when it crashes', `log.info('last words'); throw new Error('crash');`],
    ['when a promise is rejected', `log.info('last words'); await Promise.reject(new Error('crash'));`],
    ['soon, when nothing else is', `log.info('last words'); setInterval(() => {}, 1000);`],
  ])('%s', async (_when, script) => {
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', START + script], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (text) => {
      said += String(text);
    });
    const end = once(child, 'exit');
    await until('the words are there', () => said.includes('last words'));
    child.kill('SIGKILL');
    await end;
  });
});

it.skipIf(process.platform !== 'linux')('keeps running while the disk of the log is full, and exits', async () => {
  const full = openSync('/dev/full', 'w');
  const script = `let lines = 0;
    setInterval(() => {
      log.info('x'.repeat(100_000));
      if (++lines === 100) process.exit(process.memoryUsage().external < 30e6 ? 3 : 4);
    }, 5);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', START + script], {
    stdio: ['ignore', 'ignore', full],
    timeout: 100_000,
  });
  closeSync(full);
  expect(await once(child, 'exit')).toEqual([3, null]);
});

it('exits without the remaining lines if its log is not read', async () => {
  const script = `
    for (let lines = 0; lines < 50; lines += 1) log.info('x'.repeat(50_000));
    setTimeout(() => process.exit(3), 500);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', START + script], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 100_000,
    killSignal: 'SIGKILL',
  });
  child.stderr.pause();
  expect(await once(child, 'exit')).toEqual([3, null]);
  child.stderr.destroy();
});
