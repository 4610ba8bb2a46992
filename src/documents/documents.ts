import { GraphQLError, type GraphQLSchema } from 'graphql';
import { badRequest } from '../domain/errors.js';
import type { BoundedMap } from '../lib/bounded-map.js';
import { Memories } from '../lib/memories.js';
import type { Document } from '../serve/call.js';
import { DocumentError, truncatedMessage } from './document-error.js';
import { IntrospectionResults } from './introspection.js';
import { type AssertAdmitted, type Operation, type PrepareContext, prepareOperation, sha256 } from './prepare.js';

const weigh = (operation: Operation): number => operation.weight();

/**
 * Persisted operations, checked and compiled. They do not depend on an engine, so all engines of a process share them.
 */
export interface Persisted {
  readonly named: ReadonlyMap<string, Operation>;
  readonly hashed: ReadonlyMap<string, Operation>;
  /** Other texts of the same operations, which are prepared when they are first run: names and texts by hash. */
  readonly otherTexts: ReadonlyMap<string, readonly [name: string, text: string]>;
}

/**
 * Throws if a persisted text is invalid, so that the start fails and not the first call. `others`: other texts of
 * persisted operations, with the operations' names; they are found only by their hashes.
 */
export function preparePersisted(
  schema: GraphQLSchema,
  texts: Readonly<Record<string, string>>,
  others: readonly (readonly [name: string, text: string])[] = [],
): Persisted {
  // Never used: only introspection stores results, and no persisted operation is introspection.
  const context = { schema, results: new IntrospectionResults(new Memories()) };
  const named = new Map<string, Operation>();
  const hashed = new Map<string, Operation>();
  for (const [name, text] of Object.entries(texts)) {
    const operation = prepareOperation(context, { ...persistedSource(name, text), isCompiled: true });
    named.set(name, operation);
    hashed.set(sha256(text), operation);
  }
  return { named, hashed, otherTexts: new Map(others.map((other) => [sha256(other[1]), other])) };
}

/** Persisted operations by name and hash, and any other text. Each is parsed and checked once while it is cached. */
export class Documents {
  readonly #context: PrepareContext;
  readonly #persisted: Persisted;
  /** By the SHA-256 of the text: persisted operations, and those of `otherTexts` that were run. */
  readonly #hashed: Map<string, Operation>;
  /** By operation id. Introspection has a cache of its own, because anyone may send it without a key. */
  readonly #operations: BoundedMap<Operation>;
  readonly #introspection: BoundedMap<Operation>;

  constructor(schema: GraphQLSchema, persisted = preparePersisted(schema, {}), memories = new Memories()) {
    this.#operations = memories.map('documents', { weigh });
    this.#introspection = memories.map('introspection', { weigh });
    this.#context = { schema, results: new IntrospectionResults(memories) };
    this.#persisted = persisted;
    this.#hashed = new Map(persisted.hashed);
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
    const operation = this.#persisted.named.get(name);
    if (operation) return operation;
    throw badRequest(`There is no persisted operation ${JSON.stringify(truncatedMessage(name))}.`, 'documentId');
  }

  #byHash(hash: string, assertAdmitted: AssertAdmitted, measured: typeof unmeasured): Operation {
    const known = this.#hashed.get(hash);
    if (known) return known;
    const other = this.#persisted.otherTexts.get(hash);
    if (other) {
      // All persisted operations need a key.
      assertAdmitted(false);
      const operation = measured(() => prepareOperation(this.#context, persistedSource(...other)));
      this.#hashed.set(hash, operation);
      return operation;
    }
    // Hashes cannot be registered. This code makes clients send the text from now on; "not found" would make them try
    // the hash first every time.
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
    // Introspection that is alone in its document has an id made of its normalised text; all else, of the text as sent.
    (operation.keyless ? this.#introspection : this.#operations).set(operation.id, operation);
    return operation;
  }

  #isPersisted(hash: string): boolean {
    return this.#hashed.has(hash) || this.#persisted.otherTexts.has(hash);
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
