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
 * The command line on a home in which the demo has been filled, as after a first start. Filling it takes many times as long as
 * copying it, so one is made in a run, and each test has a copy of its own. What a first start says is not said again.
 */
export async function openDemoHome(): Promise<Cli> {
  await made(inject('demoHome'));
  const cli = await Cli.open();
  // Not Node's own copying: the database belongs to another user when this one is root.
  await promisify(execFile)('cp', ['-a', `${inject('demoHome')}/.`, cli.home]);
  return cli;
}

/** Resolves once it exists: the first caller makes it, or the next one if that fails. */
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
  // Somebody may have made it between the look and this turn.
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
