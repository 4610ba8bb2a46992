import type { parseDocument } from 'gql.tada';
import type { Checked, DataFrom, VariablesFrom } from './selection.js';

/** The text of an operation, typed with its data and variables. */
export interface PerchDocument<Data, Variables> {
  readonly text: string;
  /** Exists only in types. */
  readonly types?: { readonly data: Data; readonly variables: Variables };
}

export type DataOf<Document> = Document extends PerchDocument<infer Data, infer _> ? Data : never;

/**
 * A typed operation from its text: `` graphql(`{ me { balance } }`) ``. The compiler reads the types from the text;
 * nothing is generated, parsed or sent here, and a field that is not in the schema does not compile. The text may
 * also contain fragments.
 */
export function graphql<const Text extends string>(
  text: Text & Checked<parseDocument<Text>>,
): PerchDocument<DataFrom<parseDocument<Text>>, VariablesFrom<parseDocument<Text>>> {
  return { text };
}
