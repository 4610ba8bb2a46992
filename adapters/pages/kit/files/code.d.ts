/** A line of commands as it is shown, or the price of the command below it. */
export type ShellLine = { readonly text: string } | { readonly aside: string };

export function shellLines(text: string): ShellLine[];

/** A part of code, and what it is, as a class of the style sheet; undefined for what is nothing in particular. */
export interface CodePart {
  readonly text: string;
  readonly kind?: string;
}

export function colouredParts(text: string, language: string): CodePart[];
