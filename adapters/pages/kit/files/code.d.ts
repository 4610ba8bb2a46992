/** A line of commands to show, or the price of the command below it. */
export type ShellLine = { readonly text: string } | { readonly aside: string };

export function shellLines(text: string): ShellLine[];

/** A part of code and its kind, which is a class of the style sheet; undefined for ordinary text. */
export interface CodePart {
  readonly text: string;
  readonly kind?: string;
}

export function colouredParts(text: string, language: string): CodePart[];
