import { endingOf } from './failure.js';
import { note } from './print.js';
import { createProgram } from './program.js';

/** Runs the command that the process was started with. Never rejects; sets the exit code. */
export async function main(): Promise<void> {
  // `perch key list | head` closes the pipe early; that is not a fault.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  try {
    await createProgram().parseAsync();
  } catch (error) {
    const { exitCode, message } = endingOf(error);
    if (message !== null) note(`perch: ${message}`);
    process.exitCode = exitCode;
  }
}
