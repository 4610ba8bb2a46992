import { toCredits } from '../../../src/domain/credits.js';
import { inCredits } from '../../../src/domain/figures.js';
import { itemPrice } from '../../../src/domain/prices.js';
import {
  DEMO_HANDLE,
  firstAnswer,
  firstCurl,
  firstPath,
  firstQuery,
  firstQueryPrice,
  liveCurl,
} from '../kit/first-reads.js';
import { Code, Section } from '../kit/parts.js';
import type { LandingModel } from './landing-facts.js';

const LEAD = {
  empty:
    'A REST call and a GraphQL query, and what they cost. This service has no data yet: its operator loads it with “perch import”. Until then, they work with a test key.',
  text: 'A REST call and a GraphQL query, and what they cost.',
  live: 'A REST call and a GraphQL query, and what they cost. Run them: this page uses the demo key, and its credits cost nothing.',
};

/** The data that `files/first-reads.js` needs to run the reads; empty if the page is only text. */
const forTheScript = ({ live }: LandingModel) =>
  live === null
    ? {}
    : { 'data-demo-key': live.key, 'data-handle': live.handles[0], 'data-handles': live.handles.join(' ') };

/** The first call, the first query and an answer; on a demo they run on the page. */
export const FirstReads = (model: LandingModel) => {
  const handle = model.live?.handles[0] ?? model.sample ?? DEMO_HANDLE;
  const runs = (path: string) => (model.live === null ? {} : { runs: path });
  return (
    <Section
      id="first"
      title="Your first two reads"
      lead={model.live !== null ? LEAD.live : model.sample === null ? LEAD.empty : LEAD.text}
    >
      <div class="reads" {...forTheScript(model)}>
        <Code
          place="call"
          label="REST: one profile"
          price={inCredits(toCredits(itemPrice('profile', 'miss')))}
          text={firstCurl(model.baseUrl, handle)}
          {...runs(firstPath(handle))}
        />
        <Code
          place="query"
          label="GraphQL: a profile and its timeline"
          price={inCredits(firstQueryPrice('miss').sum)}
          text={firstQuery(handle)}
          {...runs('/graphql')}
        />
        <figure class="code answer">
          <figcaption>Every response says what it cost</figcaption>
          <p class="bill" id="first-bill" role="status" />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
          <pre tabIndex={0}>
            <code id="first-answer">{firstAnswer(handle)}</code>
          </pre>
        </figure>
        <p class="words">
          Send the key in a header, never in the URL. Use <code>estimate=true</code> to get the maximum price first, or
          set <code>max_credits</code> to limit it.
        </p>
      </div>
    </Section>
  );
};

export const Dashboard = ({ pictures: { light, dark } }: LandingModel) => (
  <Section
    id="dashboard"
    title="The dashboard"
    lead="Your balance and how long it lasts, what each endpoint, key and day cost, receipts, alerts, and agents with a budget."
  >
    <a href="/dashboard">
      <picture>
        <source media="(prefers-color-scheme: dark)" srcset={dark.path} />
        <img
          class="screen"
          src={light.path}
          width={light.width}
          height={light.height}
          loading="lazy"
          alt="The dashboard of an account: the balance and what it buys, credits per day by endpoint, keys and the newest requests."
        />
      </picture>
    </a>
  </Section>
);

/** The interfaces and the clients, with the address of each and whom it is for. */
export const Ways = ({ baseUrl }: LandingModel) => (
  <Section id="ways" title="Interfaces" lead="The same reads at the same prices in all of them.">
    <ul class="cards two">
      <li>
        <h3>GraphQL</h3>
        <p>
          A profile, its timeline and everything below it in one request. <a href="/graphql">GraphiQL</a> shows what
          each run costs.
        </p>
      </li>
      <li>
        <h3>REST</h3>
        <p>
          One path per read: see <a href="/docs/rest">the reference</a>, or generate a client from the{' '}
          <a href="/openapi.yaml">OpenAPI document</a>.
        </p>
      </li>
      <li>
        <h3>MCP, for agents</h3>
        <p>
          Give your agent <code>{baseUrl}/mcp</code> and the key in the header <code>x-api-key</code>, or let it sign
          in. Every tool accepts a credit budget. <a href="/docs/agents">How to connect one</a>.
        </p>
      </li>
      <li>
        <h3>TypeScript and Python</h3>
        <p>
          Typed clients that catch a wrong field before your code runs. Use npm or pip to install the one for{' '}
          <a href="/docs/clients/typescript">TypeScript</a> or <a href="/docs/clients/python">Python</a> from this
          service.
        </p>
      </li>
    </ul>
  </Section>
);

/** New tweets as they appear, through a stream or sent to a server. */
export const NewTweets = ({ baseUrl, live, sample }: LandingModel) => (
  <Section
    id="live"
    title="Follow what is new"
    lead="Every new tweet of an account or a search, seconds after it is posted. Waiting is free. A new tweet costs the same as on a page, and is charged once."
  >
    <Code
      label="REST: a stream of an account"
      price={`${inCredits(toCredits(itemPrice('tweet', 'miss')))} a tweet`}
      text={liveCurl(baseUrl, live?.postsOften ?? sample ?? DEMO_HANDLE)}
    />
    <ul class="cards">
      <li>
        <h3>Streams</h3>
        <p>
          Up to 100 accounts, searches, replies and quotes as server-sent events on one connection, or a GraphQL
          subscription in <a href="/graphql">GraphiQL</a>.
        </p>
      </li>
      <li>
        <h3>Watches</h3>
        <p>
          The same, sent to your server without an open connection: signed webhooks, in order, retried for three days.{' '}
          <a href="/dashboard/watches">Start one</a> with a daily budget.
        </p>
      </li>
      <li>
        <h3>Nothing missed</h3>
        <p>
          A client that reconnects gets what it missed. Items that were paid for but lost on the way are sent again for
          free. <a href="/docs/live">How to follow</a>.
        </p>
      </li>
    </ul>
  </Section>
);

export const Demo = () => (
  <Section
    id="demo"
    title="The demo network"
    lead="This service runs on a fictional network of observatories, libraries, ferries and towns. None of it is real, all of it works, and its credits cost nothing."
  >
    <ul class="cards">
      <li>
        <h3>Look around</h3>
        <p>
          <a href="/graphql">GraphiQL</a> opens with the demo key, and sample queries in tabs. The first one costs{' '}
          {inCredits(firstQueryPrice('miss').sum)}.
        </p>
      </li>
      <li>
        <h3>Start with an account</h3>
        <p>
          <code>@{DEMO_HANDLE}</code> is an observatory with followers, threads and media: read its{' '}
          <code>/v1/users/{DEMO_HANDLE}/tweets</code>.
        </p>
      </li>
      <li>
        <h3>Use the key elsewhere</h3>
        <p>It was printed in the terminal at the first start, and works in any client, for GraphQL, REST and MCP.</p>
      </li>
    </ul>
  </Section>
);
