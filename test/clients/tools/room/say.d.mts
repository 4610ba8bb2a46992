export const url: string;
export const key: string;
export const headers: { 'x-api-key': string };

export interface Page {
  readonly ids: readonly string[];
  readonly cursor: string | null | undefined;
}

/** How a tool reads. What it throws is a refusal, whose code `codeOf` finds where the tool's users would look. */
export interface Tool {
  user(handle: string): Promise<string>;
  page(user: string, count: number, cursor?: string): Promise<Page>;
  codeOf(error: unknown): unknown;
  /** A free read, where the tool waits for its turn by itself. */
  balance?(call: number): Promise<unknown>;
  /** What only tools of its kind can do. */
  also?(): Promise<object>;
  close?(): Promise<unknown>;
}

export function say(tool: Tool): Promise<void>;
