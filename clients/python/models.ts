import type { JsonSchema } from '../../adapters/rest/openapi/types.js';

type Schemas = Readonly<Record<string, JsonSchema>>;

/** `_models.py`: a TypedDict for every object of the document, including nested ones. */
export function modelsText(schemas: Schemas): string {
  const classes = new Classes(schemas);
  for (const [name, schema] of Object.entries(schemas)) classes.add(name, schema);
  return classes.text();
}

const nameOf = (ref: string): string => ref.split('/').at(-1) ?? '';
const pascal = (name: string): string =>
  name
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
const quoted = (value: unknown): string => JSON.stringify(value);

const WIDTH = 116;

/** The text wrapped into indented lines. */
function wrapped(text: string, indent: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= WIDTH) lines.push(indent + word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** A docstring: a paragraph, and below it names with their meanings. Removes anything that could end the docstring. */
export function docstring(indent: string, text: string, names: readonly (readonly [string, string])[] = []): string[] {
  const safe = (part: string): string => part.replaceAll('\\', '').replaceAll('"""', "''").trim();
  const [first = '', ...more] = wrapped(`"""${safe(text)}`, indent);
  const listed = names.flatMap(([name, meaning]) => {
    const [head = '', ...tail] = wrapped(`\`\`${name}\`\`: ${safe(meaning)}`, indent);
    return [head, ...tail.map((line) => `    ${line}`)];
  });
  const lines = [first, ...more, ...(listed.length > 0 ? ['', ...listed] : [])];
  return lines.length === 1 ? [`${first}"""`] : [...lines, `${indent}"""`];
}

class Classes {
  readonly #schemas: Schemas;
  readonly #written = new Map<string, string>();

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  /** The classes in the order in which they can be defined: bases first. */
  text(): string {
    return [...this.#written.values()].join('\n\n');
  }

  add(name: string, schema: JsonSchema): void {
    if (this.#written.has(name)) return;
    const { allOf = [] } = schema;
    const bases = allOf.flatMap(({ $ref }) => ($ref === undefined ? [] : [nameOf($ref)]));
    for (const base of bases) this.add(base, this.#schemas[base] ?? {});
    const parts = allOf.length > 0 ? allOf.filter(({ $ref }) => $ref === undefined) : [schema];
    const required = new Set(parts.flatMap((part) => part.required ?? []));
    const properties = parts.flatMap((part) => Object.entries(part.properties ?? {}));
    const line = (property: [string, JsonSchema]): string =>
      `    ${property[0]}: ${this.typeOf(property[1], `${name}${pascal(property[0])}`)}`;
    // Python before 3.11 has no NotRequired, so the required keys get a class of their own.
    const must = properties.filter(([key]) => required.has(key)).map(line);
    const may = properties.filter(([key]) => !required.has(key)).map(line);
    const doc = schema.description === undefined ? [] : [...docstring('    ', schema.description), ''];
    if (must.length === 0 || may.length === 0) {
      const total = may.length > 0 ? ['total=False'] : [];
      const inherits = bases.length > 0 ? bases : ['TypedDict'];
      this.#write(name, [...inherits, ...total], doc, [...must, ...may]);
      return;
    }
    this.#write(`_${name}`, bases.length > 0 ? bases : ['TypedDict'], [], must);
    this.#write(name, [`_${name}`, 'total=False'], doc, may);
  }

  /** The annotation of a schema; a nested object becomes a class with the given name. */
  typeOf(schema: JsonSchema, name: string): string {
    if (schema.$ref !== undefined) return nameOf(schema.$ref);
    if (schema.enum) return `Literal[${schema.enum.map(quoted).join(', ')}]`;
    const types = [schema.type ?? 'object'].flat();
    const [type = 'object'] = types.filter((each) => each !== 'null');
    const said = this.#plain(type, schema, name);
    return types.includes('null') ? `Optional[${said}]` : said;
  }

  #plain(type: string, schema: JsonSchema, name: string): string {
    if (type === 'array') return `List[${this.typeOf(schema.items ?? {}, `${name}Item`)}]`;
    if (type !== 'object') return PLAIN[type] ?? 'Any';
    if (schema.properties === undefined) return 'Dict[str, Any]';
    this.add(name, schema);
    return name;
  }

  #write(name: string, inherits: readonly string[], doc: readonly string[], lines: readonly string[]): void {
    const body = [...doc, ...lines];
    this.#written.set(
      name,
      [`class ${name}(${inherits.join(', ')}):`, ...(body.length > 0 ? body : ['    pass']), ''].join('\n'),
    );
  }
}

const PLAIN: Readonly<Record<string, string>> = { string: 'str', integer: 'int', number: 'float', boolean: 'bool' };
