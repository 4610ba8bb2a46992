/** The data that samples are made from; an operation's page contains it for its script. */
export interface SampleCall {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly parameters: readonly SampleParameter[];
  /** The same read in GraphQL. */
  readonly query: string;
  /** The MCP tool of the same read, if there is one. */
  readonly tool?: string;
}

export interface SampleParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'body';
  readonly required: boolean;
}

/** A call as a text to copy. */
export interface Sample {
  readonly label: string;
  readonly language: string;
  readonly text: string;
}

/** The address of a call: its path, and the `name=value` pairs of its query. */
export function addressOf(
  call: SampleCall,
  values: Readonly<Record<string, unknown>>,
): { readonly path: string; readonly query: readonly string[] };

export function samplesOf(
  call: SampleCall,
  values: Readonly<Record<string, unknown>>,
  body: Readonly<Record<string, unknown>> | null,
): Sample[];
