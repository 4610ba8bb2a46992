import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  SchemaMetaFieldDef,
} from 'graphql';
import { schema } from '../../../schema/index.js';

/** Numbers from 0 up to 1, the same ones for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What a document is made from. The search varies each number between 0 and 1. */
export const TRAITS = [
  'roots', 'width', 'depth', 'leaves', 'aliases', 'fragments', 'spreads', 'inline', 'directives', 'variables', 'arguments',
  'longTexts', 'repeats', 'lists', 'introspection', 'operations', 'unused',
] as const; // biome-ignore format: one line says it
export type Traits = Record<(typeof TRAITS)[number], number>;

export interface Genome {
  readonly seed: number;
  readonly traits: Traits;
}

export interface GraphqlRequest {
  readonly query: string;
  readonly variables: Record<string, unknown>;
  readonly operationName: string | null;
}

const INTROSPECTED = getNamedType(SchemaMetaFieldDef.type) as GraphQLObjectType;

/** The types of a `Node`, which are the members of the union of search results, too. */
const OBJECTS: ReadonlySet<string> = new Set(['Tweet', 'User']);

/** A document over the real schema. Most are valid; the same genome always gives the same one. */
export function documentFrom(genome: Genome): GraphqlRequest {
  return new Writer(genome).write();
}

class Writer {
  readonly #traits: Traits;
  readonly #random: () => number;
  readonly #fragments: { name: string; type: GraphQLNamedType; body: string }[] = [];
  readonly #defined = new Map<string, string>();
  readonly #values: Record<string, unknown> = {};
  #budget: number;
  #aliases: number;

  constructor({ seed, traits }: Genome) {
    this.#random = randomFrom(seed);
    this.#traits = traits;
    this.#budget = 20 + Math.floor(traits.leaves * 500);
    this.#aliases = Math.floor(traits.aliases * 31);
  }

  write(): GraphqlRequest {
    const isIntrospection = this.#chance('introspection', 0.6);
    this.#makeFragments(isIntrospection);
    const roots = 1 + Math.floor(this.#traits.roots * 9.5);
    const body = Array.from({ length: roots }, () => this.#root(isIntrospection)).join(' ');
    const used = (this.#usage(body) ? this.#fragments : []).filter(
      ({ name }) => this.#isReached(name, body) || this.#chance('unused', 0.1),
    );
    const written = used.map(({ name, type, body }) => `fragment ${name} on ${type.name} { ${body} }`);
    const inUse = new Set([body, ...written].join(' ').match(/\$v\d+/g));
    const defined = [...this.#defined].filter(([name]) => inUse.has(`$${name}`));
    const definitions = defined.map(([name, type]) => `$${name}: ${type}`).join(', ');
    const first = `query A${definitions && `(${definitions})`} { ${body} }`;
    const more = Math.floor(this.#traits.operations * 20);
    const others = Array.from({ length: more }, (_, i) => `query B${i} { __typename }`);
    return { query: [first, ...others, ...written].join(' '), variables: this.#values, operationName: 'A' };
  }

  #usage = (body: string): boolean => this.#fragments.length > 0 && body.length > 0;

  /** Searches the text, since a fragment spreads only those made before it. */
  #isReached(name: string, body: string): boolean {
    const spread = new RegExp(`\\.\\.\\.${name}\\b`);
    if (spread.test(body)) return true;
    return this.#fragments.some(
      (other) => other.name !== name && spread.test(other.body) && this.#isReached(other.name, body),
    );
  }

  #makeFragments(isIntrospection: boolean): void {
    const names = isIntrospection
      ? ['__Type', '__Field', '__InputValue']
      : ['Tweet', 'User', 'TweetPage', 'UserPage', 'PageMeta', 'Node'];
    const count = Math.floor(this.#traits.fragments * 16);
    for (let i = 0; i < count; i += 1) {
      const type = schema.getType(this.#one(names));
      const name = `F${i}`;
      if (isObjectType(type)) this.#fragments.push({ name, type, body: this.#set(type, 2) });
      if (isAbstractType(type)) this.#fragments.push({ name, type, body: `nodeId${this.#conditions()} __typename` });
    }
  }

  #root(isIntrospection: boolean): string {
    if (isIntrospection) {
      const type = schema.getType('__Type') as GraphQLObjectType;
      if (this.#random() < 0.3) return `${this.#alias(1)}__type(name: "Tweet") { ${this.#set(type, 6)} }`;
      return `${this.#alias(0.5)}__schema { ${this.#set(INTROSPECTED, 7)} }`;
    }
    const fields = Object.values((schema.getQueryType() as GraphQLObjectType).getFields());
    return this.#field(this.#one(fields), 2 + Math.floor(this.#traits.depth * 8), true);
  }

  #set(type: GraphQLObjectType, levels: number): string {
    const parts: string[] = [];
    const all = Object.values(type.getFields());
    const flat = all.filter((field) => !isCompositeType(getNamedType(field.type)));
    const deep = all.filter((field) => !flat.includes(field));
    const width = 1 + Math.floor(this.#traits.width * 10);
    for (let i = 0; i < width && this.#budget > 0; i += 1) {
      if (deep.length > 0 && levels > 1 && this.#random() < 0.6) parts.push(this.#field(this.#one(deep), levels - 1));
      if (flat.length > 0) parts.push(this.#field(this.#one(flat), 1));
      if (this.#chance('spreads', 0.9)) parts.push(this.#spread(type));
      this.#budget -= 0.5;
      if (levels > 1 && this.#chance('inline', 0.4))
        parts.push(`... on ${type.name}${this.#conditions()} { ${this.#set(type, levels - 1) || '__typename'} }`);
      if ((parts.at(-1) ?? '').length < 200 && this.#chance('repeats', 0.8))
        parts.push(...Array(1 + Math.floor(this.#traits.repeats * 12)).fill(parts.at(-1) ?? '__typename'));
    }
    return parts.filter((part) => part !== '').join(' ') || '__typename';
  }

  #spread(type: GraphQLNamedType): string {
    const fitting = this.#fragments.filter(
      (fragment) => fragment.type === type || (isAbstractType(fragment.type) && OBJECTS.has(type.name)),
    );
    return fitting.length === 0 ? '' : `...${this.#one(fitting).name}${this.#conditions()}`;
  }

  /** The members of a union, or the types of an interface, of which two may share a fragment. */
  #members(levels: number): string {
    const members = [...OBJECTS].map((name) => {
      const inner = levels > 1 ? this.#set(schema.getType(name) as GraphQLObjectType, levels - 1) : 'id';
      return `... on ${name}${this.#conditions()} { ${inner} }`;
    });
    return `__typename ${members.join(' ')}`;
  }

  #field(field: GraphQLField<unknown, unknown>, levels: number, isRoot = false): string {
    this.#budget -= 1;
    const type = getNamedType(field.type);
    const alias = this.#alias(isRoot ? 1 : 0.5);
    const head = `${alias}${field.name}${this.#arguments(field)}${this.#conditions()}`;
    if (isAbstractType(type)) return `${head} { ${this.#members(levels)} }`;
    if (!isObjectType(type)) return head;
    return `${head} { ${levels > 1 ? this.#set(type, levels - 1) : '__typename'} }`;
  }

  #alias(often: number): string {
    if (this.#aliases <= 0 || this.#random() > often) return '';
    this.#aliases -= 1;
    return `a${this.#aliases}: `;
  }

  #arguments(field: GraphQLField<unknown, unknown>): string {
    const given = field.args.filter(
      (argument) => isNonNullType(argument.type) || argument.name === 'handle' || this.#chance('arguments', 0.5),
    );
    const parts = given.map((argument) => {
      const value = this.#value(argument.name, argument.type);
      return `${argument.name}: ${this.#written(value, String(argument.type))}`;
    });
    return parts.length > 0 ? `(${parts.join(', ')})` : '';
  }

  /** A value as itself, or as a variable that is sent or has a default. */
  #written(value: unknown, type: string): string {
    if (!this.#chance('variables', 0.5) || this.#defined.size >= 90) return literal(value, type);
    const name = `v${this.#defined.size}`;
    const isSent = this.#random() < 0.7;
    this.#defined.set(name, isSent ? type : `${type} = ${literal(value, type)}`);
    if (isSent) this.#values[name] = value;
    return `$${name}`;
  }

  #value(name: string, type: GraphQLField<unknown, unknown>['args'][number]['type']): unknown {
    const inner = getNamedType(type);
    if (isListType(isNonNullType(type) ? type.ofType : type))
      return Array.from({ length: 1 + Math.floor(this.#traits.lists * 99) }, (_, i) => String(i + 1));
    if (isEnumType(inner)) return 'Latest';
    if (inner.name === 'Boolean') return this.#random() < 0.5;
    if (inner.name === 'Int') return 1 + Math.floor(this.#random() * 10);
    if (name === 'q') return 'x'.repeat(1 + Math.floor(this.#traits.longTexts * 400));
    return String(1 + Math.floor(this.#random() * 100));
  }

  #conditions(): string {
    if (!this.#chance('directives', 0.6)) return '';
    const [first, second] = this.#random() < 0.5 ? ['include', 'skip'] : ['skip', 'include'];
    return this.#condition(first as string) + (this.#random() < 0.2 ? this.#condition(second as string) : '');
  }

  #condition = (directive: string): string => ` @${directive}(if: ${this.#written(this.#random() < 0.5, 'Boolean!')})`;

  #chance = (trait: keyof Traits, most: number): boolean => this.#random() < this.#traits[trait] * most;
  #one = <T>(of: readonly T[]): T => of[Math.floor(this.#random() * of.length)] as T;
}

const literal = (value: unknown, type: string): string =>
  type.startsWith('Product') ? String(value) : JSON.stringify(value);

/** A random genome, and a variation of one. */
export const anyGenome = (random: () => number): Genome => ({
  seed: Math.floor(random() * 2 ** 32),
  traits: Object.fromEntries(TRAITS.map((name) => [name, random() ** 2])) as Traits,
});

export function like({ seed, traits }: Genome, random: () => number): Genome {
  const changed = { ...traits };
  for (const name of TRAITS) {
    if (random() < 0.2) changed[name] = Math.min(1, Math.max(0, changed[name] + (random() - 0.5) * 0.6));
  }
  return { seed: random() < 0.5 ? seed : Math.floor(random() * 2 ** 32), traits: changed };
}
