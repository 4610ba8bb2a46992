import { GraphQLError, type GraphQLSchema } from 'graphql';
import { badRequest } from '../domain/errors.js';
import type { BoundedMap } from '../lib/bounded-map.js';
import { Memories } from '../lib/memories.js';
import type { Document } from '../serve/call.js';
import { DocumentError, truncatedMessage } from './document-error.js';
import { IntrospectionResults } from './introspection.js';
import { type AssertAdmitted, type Operation, type PrepareContext, prepareOperation, sha256 } from './prepare.js';

const weigh = (operation: Operation): number => operation.weight();

/** Persisted operations by name and hash, and other texts by hash. Each is parsed and checked once while it is kept. */
export class Documents {
  readonly #context: PrepareContext;
  readonly #named = new Map<string, Operation>();
  readonly #hashed = new Map<string, Operation>();
  /** Other texts of the same operations, which are prepared when they are first run: names and texts by hash. */
  readonly #otherTexts = new Map<string, readonly [name: string, text: string]>();
  /** By the SHA-256 of what was asked for. Introspection is kept apart, because anyone may send it without a key. */
  readonly #operations: BoundedMap<Operation>;
  readonly #introspection: BoundedMap<Operation>;

  /**
   * Throws if a persisted text is invalid: at start, not at the first call. `others`: names and other texts of persisted
   * operations, found only by their hashes.
   */
  constructor(
    schema: GraphQLSchema,
    persisted: Readonly<Record<string, string>>,
    memories = new Memories(),
    others: readonly (readonly [name: string, text: string])[] = [],
  ) {
    this.#operations = memories.map('documents', { weigh });
    this.#introspection = memories.map('introspection', { weigh });
    this.#context = { schema, results: new IntrospectionResults(memories) };
    for (const [name, text] of Object.entries(persisted)) {
      const operation = prepareOperation(this.#context, { ...persistedSource(name, text), isCompiled: true });
      this.#named.set(name, operation);
      this.#hashed.set(sha256(text), operation);
    }
    for (const [name, text] of others) this.#otherTexts.set(sha256(text), [name, text]);
  }

  /**
   * Throws `DocumentError` for an invalid text, `bad_request` for a hash or name that is not persisted (U52), and
   * whatever `assertAdmitted` throws. `measured` runs the work on a text that is not known yet.
   */
  find(document: Document, assertAdmitted: AssertAdmitted = () => {}, measured = unmeasured): Operation {
    if ('name' in document) return admitted(this.#byName(document.name), assertAdmitted);
    if ('sha256' in document) return admitted(this.#byHash(document.sha256, assertAdmitted, measured), assertAdmitted);
    return this.#byText(document.text, document.operationName ?? null, assertAdmitted, measured);
  }

  #byName(name: string): Operation {
    const operation = this.#named.get(name);
    if (operation) return operation;
    throw badRequest(`There is no persisted operation ${JSON.stringify(truncatedMessage(name))}.`, 'documentId');
  }

  #byHash(hash: string, assertAdmitted: AssertAdmitted, measured: typeof unmeasured): Operation {
    const known = this.#hashed.get(hash);
    if (known) return known;
    const other = this.#otherTexts.get(hash);
    if (other) {
      // Operations of ours all need a key.
      assertAdmitted(false);
      const operation = measured(() => prepareOperation(this.#context, persistedSource(...other)));
      this.#hashed.set(hash, operation);
      return operation;
    }
    // None can be registered: told so, clients send the text from then on, and "not found" would make each ask twice for good.
    const error = new GraphQLError('PersistedQueryNotSupported', {
      extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' },
    });
    throw new DocumentError([error]);
  }

  #byText(
    text: string,
    operationName: string | null,
    assertAdmitted: AssertAdmitted,
    measured: typeof unmeasured,
  ): Operation {
    const id = documentKey(text, operationName);
    const known = this.#operations.get(id) ?? this.#introspection.get(id);
    if (known) return admitted(known, assertAdmitted);
    const operation = measured(() =>
      prepareOperation(this.#context, {
        ...{ id, text, operationName, assertAdmitted },
        // A persisted text is exempt from the shape limits even when it is sent as text.
        isPersisted: this.#isPersisted(sha256(text)),
        findEquivalent: (normalised) => this.#introspection.get(normalised),
        onCompiled: () => this.#weighAnew(id),
      }),
    );
    // Introspection that is alone in its document is identified by what it asks, everything else by its text.
    (operation.keyless ? this.#introspection : this.#operations).set(operation.id, operation);
    return operation;
  }

  #isPersisted(hash: string): boolean {
    return this.#hashed.has(hash) || this.#otherTexts.has(hash);
  }

  #weighAnew(id: string): void {
    const operation = this.#operations.peek(id);
    if (operation) this.#operations.set(id, operation);
  }
}

const documentKey = (text: string, operationName: string | null): string => sha256(`${operationName ?? ''}\n${text}`);

const persistedSource = (name: string, text: string) => ({
  id: documentKey(text, null),
  text,
  operationName: null,
  isPersisted: true,
  name,
});

const unmeasured = <T>(work: () => T): T => work();

function admitted(operation: Operation, assertAdmitted: AssertAdmitted): Operation {
  assertAdmitted(operation.keyless);
  return operation;
}
