import { figure } from '../../../../src/domain/figures.js';
import { PLAY_CREDITS } from '../../../../src/domain/mode.js';
import { type AgentClient, agentClients, agentPrompts } from '../../kit/agent-clients.js';
import { DEMO_HANDLE } from '../../kit/first-reads.js';
import { Card } from '../../kit/signed-in/parts.js';
import { type DashboardLayout, dashboardPage } from '../frame/dashboard-page.js';

/** A text; its parts between backquotes are shown as code. */
const Words = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={part}>{part}</code>))}</>
);

const Text = ({ text }: { text: string }) => (
  <figure class="code">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
    <pre tabIndex={0} data-copy>
      <code>{text}</code>
    </pre>
  </figure>
);

const Client = ({ client, url }: { client: AgentClient; url: string }) => {
  const { name, where, code, link, needsHttps } = client;
  const isReachable = !needsHttps || url.startsWith('https:');
  return (
    <Card
      id={`to-${name.toLowerCase().replaceAll(' ', '-')}`}
      title={name}
      lead={
        <>
          {where.charAt(0).toUpperCase()}
          <Words text={where.slice(1)} />:
        </>
      }
      aside={
        link === null || !isReachable ? null : (
          <a class="button small" href={link.href}>
            {link.text}
          </a>
        )
      }
    >
      <Text text={code?.text ?? url} />
      {isReachable ? null : (
        <p class="soft small">It can reach only servers on the internet over https, and this is not one of them.</p>
      )}
    </Card>
  );
};

/** `GET /dashboard/connect`. */
export const connectPage = ({ layout, baseUrl }: { layout: DashboardLayout; baseUrl: string }): string => {
  const url = `${baseUrl}/mcp`;
  return dashboardPage(
    {
      title: 'Connect an agent',
      lead: (
        <>
          Claude, Cursor and other programs that speak MCP read through <code>{url}</code>.
        </>
      ),
      here: '/dashboard/connect',
      layout,
    },
    <>
      <Card id="who-pays" title="Two ways to pay">
        <ul class="rows plain">
          <li>
            <strong>Sign in.</strong> Add the server without a key, as the buttons below do, and the client sends you
            here to sign in and to set a spend cap. It spends from your wallet.
          </li>
          <li>
            <strong>A key.</strong> The lines below read it from the environment variable <code>PERCH_KEY</code>. With a{' '}
            <a href="/dashboard/keys">test key</a>, the agent reads invented data for free: {figure(PLAY_CREDITS)} play
            credits a day.
          </li>
        </ul>
      </Card>
      <div class="two">
        {agentClients(url).map((client) => (
          <Client key={client.name} client={client} url={url} />
        ))}
        <Card id="prompts" title="Three prompts to try" lead="They work with a test key.">
          <ul class="rows plain">
            {agentPrompts(DEMO_HANDLE).map((prompt) => (
              <li key={prompt}>“{prompt}”</li>
            ))}
          </ul>
        </Card>
      </div>
      <p class="soft">
        More about tools, budgets and your own programs: <a href="/docs/agents">Perch for agents</a>.
      </p>
    </>,
  );
};
