import { type DocumentNode, type ExecutionResult, execute, executeSync, type GraphQLSchema } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { DocumentError } from './document-error.js';

/** Fields of an operation that is compiled: some milliseconds. A larger one is interpreted every time. */
export const COMPILED_FIELDS = 200;

interface ExecutableOptions {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName: string | null;
  /** Fields once fragments are expanded. */
  readonly fields: number;
}

/**
 * Runs one operation. graphql-jit makes one function of it: 3 to 4 times graphql-js on pages of 20 and 200, but compiling takes
 * longer than executing, and holds some thousand bytes for each field. So what is seen once is interpreted, with the same results.
 */
export class Executable {
  readonly #options: ExecutableOptions;
  readonly #onCompiled: () => void;
  #compiled: CompiledQuery | null = null;
  #wasRun = false;

  /** `onCompiled` is told when it has become heavier. */
  constructor(options: ExecutableOptions, onCompiled: () => void = () => {}) {
    this.#options = options;
    this.#onCompiled = onCompiled;
  }

  get isCompiled(): boolean {
    return this.#compiled !== null;
  }

  async run(context: unknown, variables: Record<string, unknown>): Promise<ExecutionResult> {
    if (this.#wasRun && this.#compiled === null && this.#options.fields <= COMPILED_FIELDS) this.compile();
    this.#wasRun = true;
    return this.#compiled
      ? this.#compiled.query(null, context, variables)
      : execute({ ...this.#args, contextValue: context, variableValues: variables });
  }

  compile(): void {
    const { schema, document, operationName } = this.#options;
    const options = { useExperimentalPathBasedSkipInclude: true };
    const compiled = compileQuery(schema, document, operationName ?? undefined, options);
    if (!isCompiledQuery(compiled)) throw new DocumentError(compiled.errors ?? []);
    this.#compiled = compiled;
    this.#onCompiled();
  }

  /** Introspection, which waits for nothing. */
  interpret(variableValues: Record<string, unknown>): ExecutionResult {
    return executeSync({ ...this.#args, variableValues });
  }

  get #args() {
    const { schema, document, operationName } = this.#options;
    return { schema, document, operationName };
  }
}
