import type { Command } from 'commander';

/** Examples at the foot of a command's help. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`;

/** A command that only groups others. */
export const group = (program: Command, name: string, description: string): Command =>
  program.command(name).description(description).helpCommand(false);
