import type { Command } from 'commander';
import { createProgram } from '../../adapters/cli/program.js';
import { tableText } from './parts.js';

/** A command that can be run, with its full name, such as `key create`. */
interface Runnable {
  readonly name: string;
  readonly command: Command;
}

/** Every command that can be run, in the order of the help. */
function runnables(): Runnable[] {
  return createProgram().commands.flatMap((command) =>
    command.commands.length === 0
      ? [{ name: command.name(), command }]
      : command.commands.map((leaf) => ({ name: `${command.name()} ${leaf.name()}`, command: leaf })),
  );
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const placeOf = (name: string): string => name.replaceAll(' ', '-');

function argumentsOf(command: Command): string {
  return command.registeredArguments
    .map((argument) => {
      const name = `${argument.name().toUpperCase()}${argument.variadic ? '…' : ''}`;
      return argument.required ? ` ${name}` : ` [${name}]`;
    })
    .join('');
}

const choicesOf = (choices: readonly string[] | undefined): string =>
  choices ? ` One of ${choices.map((choice) => `\`${choice}\``).join(', ')}.` : '';

/** A description as a sentence, with the allowed values. */
const described = (description: string, choices: readonly string[] | undefined): string =>
  `${sentence(description).replace(/\.?$/, '.')}${choicesOf(choices)}`;

function sectionOf({ name, command }: Runnable): string {
  const given = command.registeredArguments.map((argument) => [
    `\`${argument.name().toUpperCase()}\``,
    described(argument.description, argument.argChoices),
  ]);
  const options = command.options.map((option) => [
    `\`${option.flags.replaceAll(/<(\w+)>/g, (_, value: string) => value.toUpperCase())}\`${option.mandatory ? ' (required)' : ''}`,
    described(option.description, option.argChoices),
  ]);
  const rows = [...given, ...options];
  return [
    `### ${name}`,
    `\`perch ${name}${argumentsOf(command)}\`: ${described(command.description(), undefined)}`,
    ...(rows.length > 0 ? [tableText(['Argument or option', 'Meaning'], rows)] : []),
  ].join('\n\n');
}

/** The part of docs/command-line.md that is generated from the help texts. */
export function commandReference(): string {
  const all = runnables();
  const table = tableText(
    ['Command', 'Does'],
    all.map(({ name, command }) => [`[\`${name}\`](#${placeOf(name)})`, described(command.description(), undefined)]),
  );
  return [table, '## Options', ...all.map(sectionOf)].join('\n\n');
}
