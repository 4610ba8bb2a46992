import { execFile } from 'node:child_process';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { serve } from './service.js';
import { Cli } from './support.js';

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * The command line on a home with a filled demo, as after a first start. Filling a home takes much longer than copying
 * it, so a run fills one, and each test gets a copy. The messages of a first start are not printed again.
 */
export async function openDemoHome(): Promise<Cli> {
  await made(inject('demoHome'));
  const cli = await Cli.open();
  // Not copied by Node, because the database belongs to another user if this one is root.
  await promisify(execFile)('cp', ['-a', `${inject('demoHome')}/.`, cli.home]);
  return cli;
}

/** Resolves once the home exists. The first caller makes it, or the next one if that fails. */
async function made(folder: string): Promise<void> {
  while (!(await exists(folder))) {
    const turn = `${folder}-in-the-making`;
    if (!(await isFirst(turn))) await sleep(50);
    else await make(folder).finally(() => rm(turn, { recursive: true }));
  }
}

const isFirst = (turn: string): Promise<boolean> =>
  mkdir(turn).then(
    () => true,
    () => false,
  );

async function make(folder: string): Promise<void> {
  // Another process may have made it between the check and this turn.
  if (await exists(folder)) return;
  const cli = await Cli.open();
  const { started } = await serve(cli, { PERCH_DEMO: '' }).catch(async (error: unknown) => {
    await cli.close();
    throw error;
  });
  started.process.kill('SIGTERM');
  await started.end;
  await rename(cli.home, folder);
}
