/**
 * Programs that read through MCP, and how to add a server to each. The dashboard and docs/agents.md show these rows.
 */

export interface AgentClient {
  readonly name: string;
  /** Where to put the text, as words after the name: "in a terminal", "in `.cursor/mcp.json`". */
  readonly where: string;
  /** A command or a configuration, which reads the key from `PERCH_KEY`; null: the client takes only the address. */
  readonly code: { readonly language: 'sh' | 'json'; readonly text: string } | null;
  /** Opens the client with the address filled in; the client then asks to sign in. Null if it has no such links. */
  readonly link: { readonly text: string; readonly href: string } | null;
  /** Whether it can only reach servers on the internet, over https. */
  readonly needsHttps: boolean;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

// biome-ignore lint/suspicious/noTemplateCurlyInString: the client replaces it
const KEY_FROM_ENVIRONMENT = { 'x-api-key': '${env:PERCH_KEY}' };

const inBase64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

/** `url`: the address of the server's MCP endpoint. */
export const agentClients = (url: string): readonly AgentClient[] => [
  {
    name: 'Claude Code',
    where: 'in a terminal',
    code: {
      language: 'sh',
      text: `claude mcp add --transport http perch \\\n  ${url} \\\n  --header "x-api-key: $PERCH_KEY"`,
    },
    link: null,
    needsHttps: false,
  },
  {
    name: 'Claude on the web and desktop',
    where: 'under Customize, Connectors, “Add custom connector”',
    code: null,
    link: {
      text: 'Add to Claude',
      href: `https://claude.ai/customize/connectors?${new URLSearchParams({ modal: 'add-custom-connector', connectorName: 'Perch', connectorUrl: url })}`,
    },
    needsHttps: true,
  },
  {
    name: 'Codex',
    where: 'in a terminal',
    code: { language: 'sh', text: `codex mcp add perch \\\n  --url ${url} \\\n  --bearer-token-env-var PERCH_KEY` },
    link: null,
    needsHttps: false,
  },
  {
    name: 'Gemini CLI',
    where: 'in a terminal',
    code: {
      language: 'sh',
      text: `gemini mcp add --transport http perch \\\n  ${url} \\\n  --header "x-api-key: $PERCH_KEY"`,
    },
    link: null,
    needsHttps: false,
  },
  {
    name: 'Cursor',
    where: 'in `.cursor/mcp.json`',
    code: { language: 'json', text: json({ mcpServers: { perch: { url, headers: KEY_FROM_ENVIRONMENT } } }) },
    link: {
      text: 'Add to Cursor',
      href: `cursor://anysphere.cursor-deeplink/mcp/install?${new URLSearchParams({ name: 'perch', config: inBase64({ url }) })}`,
    },
    needsHttps: false,
  },
  {
    name: 'VS Code',
    where: 'in `.vscode/mcp.json`',
    code: {
      language: 'json',
      text: json({ servers: { perch: { type: 'http', url, headers: KEY_FROM_ENVIRONMENT } } }),
    },
    link: {
      text: 'Add to VS Code',
      href: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'perch', type: 'http', url }))}`,
    },
    needsHttps: false,
  },
  {
    name: 'Windsurf',
    where: 'in `~/.codeium/windsurf/mcp_config.json`',
    code: {
      language: 'json',
      text: json({ mcpServers: { perch: { serverUrl: url, headers: KEY_FROM_ENVIRONMENT } } }),
    },
    link: null,
    needsHttps: false,
  },
];

/** Example prompts for a connected agent, from cheap to expensive. */
export const agentPrompts = (handle: string): readonly string[] => [
  `What has @${handle} written about lately? Three sentences.`,
  `Who are the best-known accounts among the newest 50 followers of @${handle}? Say first what it costs.`,
  `Find tweets that mention @${handle}, and tell me what people ask. Spend at most 20 credits.`,
];
