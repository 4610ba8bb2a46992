/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import { DEMO_HANDLE, firstQueryPrice } from './first-reads.js';
import { type LandingModel, packRows, priceRows } from './landing-facts.js';
import { figure, inCredits, Section, Table } from './parts.js';

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const Prices = () => (
  <Section
    id="prices"
    title="What an item costs"
    lead="You pay for the items you receive. Held items were read a short while ago and cost half; fresh ones are read anew because you ask for it, and cost double."
  >
    <Table caption="Credits per item" head={['Item', 'Read', 'Held', 'Fresh']}>
      {priceRows().map((row) => (
        <tr key={row.unit}>
          <th scope="row">{capital(row.items)}</th>
          <td>{figure(row.miss)}</td>
          <td>{figure(row.hit)}</td>
          <td>{figure(row.bypass)}</td>
        </tr>
      ))}
    </Table>
  </Section>
);

const FREE = [
  ['Failed requests', 'An error is never charged, whichever it is.'],
  ['Empty answers', 'Zero items returned means zero credits.'],
  ['What comes along', 'The author of a tweet, media, counts and every other field of an item.'],
  ['Looking before paying', 'The schema, price estimates, your balance and your usage.'],
  ['What is not there', 'Inputs of a batch that do not exist or may not be read.'],
  ['Time', 'Credits do not expire.'],
] as const;

export const Free = () => (
  <Section id="free" title="What is free">
    <ul class="cards">
      {FREE.map(([title, text]) => (
        <li key={title}>
          <h3>{title}</h3>
          <p>{text}</p>
        </li>
      ))}
    </ul>
  </Section>
);

export const Packs = () => (
  <Section id="packs" title="Credits" lead="The request rate rises with all you have ever paid, and never falls again.">
    <Table caption="Packs of credits" head={['Pack', 'Price', 'Credits', 'Per 1,000', 'Requests/s']}>
      {packRows().map((pack) => (
        <tr key={pack.name}>
          <th scope="row">{capital(pack.name)}</th>
          <td>${figure(pack.usd)}</td>
          <td>{figure(pack.credits)}</td>
          <td>${pack.usdPer1000.toFixed(2)}</td>
          <td>{pack.qps}</td>
        </tr>
      ))}
    </Table>
  </Section>
);

/** The interfaces and the clients: where each is, and whom it is for. */
export const Ways = ({ baseUrl }: LandingModel) => (
  <Section id="ways" title="Ways in" lead="The same reads at the same prices, whichever you take.">
    <ul class="cards two">
      <li>
        <h3>GraphQL</h3>
        <p>
          A profile, its timeline and what hangs below in one request. <a href="/graphql">GraphiQL</a> shows what each
          run cost.
        </p>
      </li>
      <li>
        <h3>REST</h3>
        <p>
          One path for each read, and one <a href="/openapi.yaml">OpenAPI document</a> to make a client from.
        </p>
      </li>
      <li>
        <h3>MCP, for agents</h3>
        <p>
          Give your agent <code>{baseUrl}/mcp</code> and the key as header <code>x-api-key</code>, or let it sign in.
          Every tool takes a ceiling of credits.
        </p>
      </li>
      <li>
        <h3>TypeScript and Python</h3>
        <p>
          Typed clients come with the source, in <code>clients/</code>: a wrong field is found before the program runs.
        </p>
      </li>
    </ul>
  </Section>
);

export const Demo = () => (
  <Section
    id="demo"
    title="The demo network"
    lead="This service reads an invented network of observatories, libraries, ferries and towns. Nothing in it is real, everything in it works, and its credits are play money."
  >
    <ul class="cards">
      <li>
        <h3>Look around</h3>
        <p>
          <a href="/graphql">GraphiQL</a> has the demo key one click away, and tabs to start from. The first one costs{' '}
          {inCredits(firstQueryPrice('miss').sum)}.
        </p>
      </li>
      <li>
        <h3>Begin with an account</h3>
        <p>
          <code>@{DEMO_HANDLE}</code> is an observatory with followers, threads and media: read its{' '}
          <code>/v1/users/{DEMO_HANDLE}/tweets</code>.
        </p>
      </li>
      <li>
        <h3>Take the key along</h3>
        <p>The terminal printed it at the first start. It works in every client, for REST and GraphQL alike.</p>
      </li>
    </ul>
  </Section>
);
