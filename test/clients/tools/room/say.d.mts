export const url: string;
export const key: string;
export const headers: { 'x-api-key': string };

export interface Page {
  readonly ids: readonly string[];
  readonly cursor: string | null | undefined;
}

/** How a tool reads. It throws refusals, whose code `codeOf` finds where the tool's users would look. */
export interface Tool {
  user(handle: string): Promise<string>;
  page(user: string, count: number, cursor?: string): Promise<Page>;
  codeOf(error: unknown): unknown;
  /** A free read, if the tool itself waits after a 429. */
  balance?(call: number): Promise<unknown>;
  /** What only tools of its kind can do. */
  also?(): Promise<object>;
  close?(): Promise<unknown>;
}

export function say(tool: Tool): Promise<void>;
