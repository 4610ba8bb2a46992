import { BUDGET_PARAMETERS } from '../../adapters/rest/openapi/inputs.js';
import type { ApiOperation, JsonSchema } from '../../adapters/rest/openapi/types.js';
import { docstring } from './models.js';

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'body';
  readonly required: boolean;
  readonly type: string;
  readonly means: string;
}

/** A parameter's name in Python; the interface's own name may be a keyword of the language, or have hyphens. */
const variable = (name: string): string => (name === 'from' ? 'from_' : name.replaceAll('-', '_').toLowerCase());

const TYPES: Readonly<Record<string, string>> = { string: 'str', integer: 'int', number: 'float', boolean: 'bool' };
const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const nameOf = (ref: string): string => ref.split('/').at(-1) ?? '';

function typeOf(schema: JsonSchema): string {
  if (schema.enum) return `Literal[${schema.enum.map((value) => JSON.stringify(value)).join(', ')}]`;
  if (schema.type === 'array') return `List[${typeOf(schema.items ?? {})}]`;
  return TYPES[String(schema.type)] ?? 'Any';
}

/** One operation as Python: a method, with overloads if it can be estimated, and an iterator if it has pages. */
export class Method {
  readonly #operation: Operation;
  readonly #parameters: readonly Parameter[];
  readonly #answers: readonly string[];

  constructor(operation: Operation, schemas: Readonly<Record<string, JsonSchema>>) {
    this.#operation = operation;
    this.#parameters = parametersOf(operation.operation, schemas);
    this.#answers = answersOf(operation.operation);
  }

  get name(): string {
    return snake(this.#operation.operation.operationId);
  }

  text(): string {
    const isPriced = this.#answers.includes('EstimateResponse');
    // A free list needs no budget, so it has no iterator: callers read its pages one by one.
    const isPaged = ['cursor', 'max_credits'].every((wanted) => this.#parameters.some(({ name }) => name === wanted));
    const isFollowed = ['since', 'max_credits'].every((each) => this.#parameters.some(({ name }) => name === each));
    return [
      ...(isPriced ? this.#priced() : this.#free()),
      ...(isPaged ? this.#pages() : []),
      ...(isFollowed ? this.#follow() : []),
    ].join('\n');
  }

  get #answer(): string {
    const own = this.#answers.filter((name) => name !== 'EstimateResponse').map((name) => `models.${name}`);
    return own.length > 1 ? `Union[${own.join(', ')}]` : (own[0] ?? 'Any');
  }

  #free(): string[] {
    return [
      ...signature(this.name, this.#parameters, ['timeout: Optional[float] = None'], this.#answer),
      ...this.#body(),
    ];
  }

  #priced(): string[] {
    const rest = ['max_credits: Optional[float] = None'];
    const own = this.#parameters.filter(({ name }) => name !== 'max_credits' && name !== 'estimate');
    const head = (estimate: string, answer: string) =>
      signature(this.name, own, [...rest, estimate, 'timeout: Optional[float] = None'], answer);
    return [
      '    @overload',
      ...stub(head('estimate: Literal[False] = False', this.#answer)),
      '',
      '    @overload',
      ...stub(head('estimate: Literal[True]', 'models.EstimateResponse')),
      '',
      ...head('estimate: bool = False', this.#union()),
      ...this.#body(),
    ];
  }

  #union(): string {
    return `Union[${this.#answers.map((name) => `models.${name}`).join(', ')}]`;
  }

  #meanings(): [string, string][] {
    return this.#parameters.map(({ name, means }) => [variable(name), means]);
  }

  #body(): string[] {
    const { method, path, operation } = this.#operation;
    const dict = (where: Parameter['in']): string => {
      const entries = this.#parameters
        .filter((parameter) => parameter.in === where)
        .map(({ name }) => `"${name}": ${name === 'estimate' ? 'estimate or None' : variable(name)}`);
      return listed('{', entries, '}', '            ');
    };
    const type = this.#answers.includes('EstimateResponse') ? this.#union() : this.#answer;
    const sent = operation.requestBody === undefined ? 'None' : dict('body');
    return [
      ...docstring('        ', operation.description, this.#meanings()),
      '        answer = self._http.call(',
      `            "${method.toUpperCase()}",`,
      `            "${path}",`,
      `            ${dict('path')},`,
      `            ${dict('query')},`,
      `            ${sent},`,
      '            timeout,',
      ...(this.#parameters.some((parameter) => parameter.in === 'header') ? [`            ${dict('header')},`] : []),
      '        )',
      `        return cast("${type.replaceAll('"', "'")}", answer)`,
    ];
  }

  /** The same read page by page, which requires a budget for all pages together. */
  #pages(): string[] {
    // What is newer than `since` has no pages, and would end as `complete` after the first.
    const own = this.#parameters.filter(({ name }) => !['max_credits', 'estimate', 'since'].includes(name));
    const given = own
      .filter(({ name }) => name !== 'cursor')
      .map(({ name, required }) => (required ? variable(name) : `${variable(name)}=${variable(name)}`));
    const call = [...given, 'cursor=at', 'max_credits=left', 'timeout=timeout'];
    return [
      '',
      ...signature(
        `iter_${this.name}`,
        own,
        ['max_credits: float', 'timeout: Optional[float] = None'],
        `Pages[${this.#answer}]`,
      ),
      ...docstring(
        '        ',
        `Pages of \`\`${this.name}\`\` for at most \`\`max_credits\`\` in total, one call each.`,
      ),
      '',
      `        def read(at: Optional[str], left: float) -> ${this.#answer}:`,
      `            return ${listed(`self.${this.name}(`, call, ')', '            ')}`,
      '',
      '        return Pages(read, max_credits=max_credits, cursor=cursor)',
    ];
  }

  /** New items of the list, one by one. */
  #follow(): string[] {
    const own = this.#parameters.filter(({ name }) => !['cursor', 'max_credits', 'estimate'].includes(name));
    const given = own
      .filter(({ name }) => name !== 'since' && name !== 'count')
      .map(({ name, required }) => (required ? variable(name) : `${variable(name)}=${variable(name)}`));
    const call = [...given, 'count=1 if at is None else count', 'since=at', 'max_credits=left', 'timeout=timeout'];
    const options = ['stop', 'on_gap', 'on_retry'].map((name) => `${name}=${name}`);
    const receipt = 'lambda request_id: self.receipt(request_id, timeout=timeout)';
    const start = ['read', receipt, 'max_credits=max_credits', 'since=since', 'interval=interval', ...options];
    return [
      '',
      ...signature(
        `follow_${this.name}`,
        own,
        [
          'max_credits: float',
          'interval: float = 30.0',
          'stop: Optional[threading.Event] = None',
          'on_gap: Optional[Callable[[], object]] = None',
          'on_retry: Optional[Callable[[ApiError], object]] = None',
          'timeout: Optional[float] = None',
        ],
        'Following[models.Tweet]',
      ),
      ...docstring(
        '        ',
        `New items of \`\`${this.name}\`\` as they appear, one by one, for at most \`\`max_credits\`\` in total. Starts after \`\`since\`\` if it is given. Otherwise it starts now, and first reads a page of one item.`,
        [
          ['interval', 'Seconds between two calls, unless there are more new items already.'],
          ['stop', 'Ends the iteration once it is set.'],
          ['on_gap', 'Called if items may be missing before the next ones.'],
          [
            'on_retry',
            'Called if a call failed and will be repeated, because the service is busy or cannot be reached.',
          ],
        ],
      ),
      '',
      `        def read(at: Optional[str], left: Optional[float]) -> ${this.#answer}:`,
      `            return ${listed(`self.${this.name}(`, call, ')', '            ')}`,
      '',
      `        return ${listed('Following(', start, ')', '        ')}`,
    ];
  }
}

/** Parts between brackets: on one line or, if that would be too long, one line each. */
function listed(open: string, parts: readonly string[], close: string, indent: string): string {
  const line = `${open}${parts.join(', ')}${close}`;
  if (line.length <= 90) return line;
  return [open, ...parts.map((part) => `${indent}    ${part},`), `${indent}${close}`].join('\n');
}

/** The `def`, one parameter per line: required ones are positional, all others keyword-only. */
function signature(name: string, parameters: readonly Parameter[], extra: readonly string[], answer: string): string[] {
  const required = parameters.filter((each) => each.required).map((each) => `${variable(each.name)}: ${each.type}`);
  const optional = parameters.filter((each) => !each.required);
  const named = [...optional.map((each) => `${variable(each.name)}: Optional[${each.type}] = None`), ...extra];
  const all = ['self', ...required, '*', ...named];
  return [`    def ${name}(`, ...all.map((each) => `        ${each},`), `    ) -> ${answer}:`];
}

const stub = (head: readonly string[]): string[] => [...head.slice(0, -1), `${head.at(-1)} ...`];

/** The parameters of every paid call. */
const BUDGET: Readonly<Record<string, { readonly name: string; readonly means: string }>> = {
  MaxCredits: { name: 'max_credits', means: BUDGET_PARAMETERS.MaxCredits?.description ?? '' },
  Estimate: { name: 'estimate', means: BUDGET_PARAMETERS.Estimate?.description ?? '' },
};

function parametersOf(operation: ApiOperation, schemas: Readonly<Record<string, JsonSchema>>): Parameter[] {
  const found: Parameter[] = (operation.parameters ?? []).flatMap((each): Parameter[] => {
    if ('$ref' in each) {
      const budget = BUDGET[nameOf(each.$ref)];
      return budget === undefined ? [] : [{ ...budget, in: 'query', required: false, type: 'Any' }];
    }
    return [
      {
        name: each.name,
        in: each.in,
        required: each.required === true,
        type: typeOf(each.schema),
        means: each.description,
      },
    ];
  });
  const ref = operation.requestBody?.content['application/json']?.schema.$ref;
  const body = ref === undefined ? {} : (schemas[nameOf(ref)] ?? {});
  for (const [name, schema] of Object.entries(body.properties ?? {})) {
    // A parameter that query and body both accept goes in the query.
    if (found.some((each) => each.name === name)) continue;
    const required = body.required?.includes(name) === true;
    found.push({ name, in: 'body', required, type: typeOf(schema), means: schema.description ?? '' });
  }
  return found;
}

function answersOf(operation: ApiOperation): string[] {
  const response = operation.responses['200'];
  const schema = response && 'content' in response ? response.content?.['application/json']?.schema : undefined;
  return (schema?.anyOf ?? (schema ? [schema] : [])).flatMap(({ $ref }) => ($ref === undefined ? [] : [nameOf($ref)]));
}
