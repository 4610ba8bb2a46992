/**
 * What the conformance suite's scenarios ask of a server, under the names they use. The text of each scenario says
 * what.
 */
import {
  type CallToolResult,
  type GetPromptResult,
  type InputRequest,
  inputRequired,
  type PrimitiveSchemaDefinition,
  type ReadResourceResult,
  type Tool,
} from '@modelcontextprotocol/server';

/** A picture of one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** A sound of no length. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

const text = (said: string) => ({ type: 'text', text: said }) as const;
const IMAGE = { type: 'image', data: PNG, mimeType: 'image/png' } as const;
const resource = (uri: string, mimeType: string, said: string) =>
  ({ type: 'resource', resource: { uri, mimeType, text: said } }) as const;

/** Tools with a fixed answer. */
export const ANSWERS: Readonly<Record<string, CallToolResult>> = {
  test_simple_text: { content: [text('This is a simple text response for testing.')] },
  test_image_content: { content: [IMAGE] },
  test_audio_content: { content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] },
  test_embedded_resource: { content: [resource('test://embedded-resource', 'text/plain', 'Embedded.')] },
  test_multiple_content_types: {
    content: [
      text('Multiple content types test:'),
      IMAGE,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  },
  test_error_handling: { isError: true, content: [text('This tool intentionally returns an error for testing')] },
  json_schema_2020_12_tool: { content: [text('ok')] },
};

/** The schema that must arrive unchanged. */
const JSON_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
} as const;

/** What is requested from a client in one round, by key. */
export type Round = Readonly<Record<string, InputRequest>>;

const elicit = (message: string, member: string, value: PrimitiveSchemaDefinition): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [member]: value }, required: [member] },
  });

const sample = (question: string): InputRequest =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(question) }], maxTokens: 100 });

const NAME = elicit('What is your name?', 'name', { type: 'string' });
const CONFIRM = elicit('Please confirm', 'ok', { type: 'boolean' });

/**
 * Tools and prompts that ask the client for something before they answer, and whether they keep state at the client.
 */
export const INPUT_ROUNDS: Readonly<
  Record<string, { readonly rounds: readonly Round[]; readonly keepsState: boolean }>
> = {
  test_input_required_result_elicitation: { rounds: [{ user_name: NAME }], keepsState: false },
  test_input_required_result_sampling: {
    rounds: [{ capital_question: sample('What is the capital of France?') }],
    keepsState: false,
  },
  test_input_required_result_list_roots: { rounds: [{ client_roots: inputRequired.listRoots() }], keepsState: false },
  test_input_required_result_request_state: { rounds: [{ confirm: CONFIRM }], keepsState: true },
  test_input_required_result_tampered_state: { rounds: [{ confirm: CONFIRM }], keepsState: true },
  test_input_required_result_multiple_inputs: {
    rounds: [{ user_name: NAME, greeting: sample('Generate a greeting'), client_roots: inputRequired.listRoots() }],
    keepsState: true,
  },
  test_input_required_result_multi_round: {
    rounds: [{ step1: NAME }, { step2: elicit('Step 2: What is your favorite color?', 'color', { type: 'string' }) }],
    keepsState: true,
  },
  test_input_required_result_prompt: {
    rounds: [{ user_context: elicit('What context should the prompt use?', 'context', { type: 'string' }) }],
    keepsState: false,
  },
  test_streaming_elicitation: { rounds: [{ user_name: NAME }], keepsState: false },
};

/** Asks only for what the client can provide. */
export const BY_CAPABILITY: Readonly<Record<'sampling' | 'elicitation', Round>> = {
  sampling: { question: sample('What is the capital of France?') },
  elicitation: { user_name: NAME },
};

/** Tools that do something while they run. */
const RUNNING = [
  'test_tool_with_progress',
  'test_logging_tool',
  'test_missing_capability',
  'test_input_required_result_capabilities',
] as const;

const inputSchemaOf = (name: string): Tool['inputSchema'] =>
  (name === 'json_schema_2020_12_tool' ? JSON_SCHEMA : { type: 'object' }) as Tool['inputSchema'];

export const LISTED_TOOLS: readonly Tool[] = [...Object.keys(ANSWERS), ...Object.keys(INPUT_ROUNDS), ...RUNNING]
  .filter((name) => !name.endsWith('_prompt'))
  .map((name) => ({ name, description: `For the scenarios that call ${name}.`, inputSchema: inputSchemaOf(name) }));

type Contents = ReadResourceResult['contents'][number];

/** The contents at an address; any number may stand for the one in the template. */
export function resourceAt(uri: string): Contents | undefined {
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  if (id !== undefined) return { uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) };
  return RESOURCES.find((contents) => contents.uri === uri);
}

export const RESOURCES: readonly Contents[] = [
  { uri: 'test://static-text', mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  { uri: 'test://static-binary', mimeType: 'image/png', blob: PNG },
  { uri: 'test://watched-resource', mimeType: 'text/plain', text: 'Watched.' },
];

type Given = Readonly<Record<string, string>>;
type Messages = GetPromptResult['messages'];
const user = (content: Messages[number]['content']): Messages[number] => ({ role: 'user', content });

/** Prompts, each with its arguments and its messages. */
export const PROMPTS: Readonly<
  Record<string, { readonly takes: readonly string[]; messages(given: Given): Messages }>
> = {
  test_simple_prompt: { takes: [], messages: () => [user(text('This is a simple prompt for testing.'))] },
  test_prompt_with_arguments: {
    takes: ['arg1', 'arg2'],
    messages: ({ arg1, arg2 }) => [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  },
  test_prompt_with_embedded_resource: {
    takes: ['resourceUri'],
    messages: ({ resourceUri = '' }) => [
      user(resource(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
      user(text('Please process the embedded resource above.')),
    ],
  },
  test_prompt_with_image: {
    takes: [],
    messages: () => [user(IMAGE), user(text('Please analyze the image above.'))],
  },
  test_input_required_result_prompt: { takes: [], messages: () => [user(text('With your context.'))] },
};
