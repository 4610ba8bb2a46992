/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import { toCredits } from '../../src/core/credits.js';
import { priceOf } from '../../src/core/prices.js';
import { DEMO_HANDLE, firstAnswer, firstCurl, firstQuery, firstQueryPrice } from './first-reads.js';
import type { LandingModel } from './landing-facts.js';
import { Demo, Free, Packs, Prices } from './landing-sections.js';
import { document } from './layout.js';
import { Bird, Code, figure, inCredits, Section } from './parts.js';

const Receipt = () => {
  const full = firstQueryPrice('miss');
  const held = firstQueryPrice('hit');
  return (
    <div class="receipt">
      <Bird />
      <dl>
        <div>
          <dt>1 profile</dt>
          <dd>{figure(full.profile)}</dd>
        </div>
        <div>
          <dt>{full.count} tweets of its timeline</dt>
          <dd>{figure(full.tweets)}</dd>
        </div>
        <div class="sum">
          <dt>You pay</dt>
          <dd>{inCredits(full.sum)}</dd>
        </div>
        <div class="held">
          <dt>The same, held already</dt>
          <dd>{figure(held.sum)}</dd>
        </div>
      </dl>
    </div>
  );
};

const Hero = ({ version, network }: LandingModel) => (
  <div class="wrap hero">
    <div>
      <p class="eyebrow">
        Version {version} · reads the {network} network
      </p>
      <h1>
        Public social data, <span class="mark">paid by the item</span>
      </h1>
      <p class="lead">
        Perch reads public profiles, tweets, timelines, threads, followers and search for you. One key and one wallet
        for GraphQL and REST. Every answer says what it cost.
      </p>
      <p class="actions">
        <a class="button primary" href="/graphql">
          Open GraphiQL
        </a>
        <a class="button" href="/openapi.yaml">
          OpenAPI document
        </a>
        <a class="button" href="/status">
          Status
        </a>
      </p>
    </div>
    <Receipt />
  </div>
);

const FirstReads = ({ baseUrl }: LandingModel) => (
  <Section id="first" title="Your first two reads" lead="A REST call and a GraphQL query, with what they cost.">
    <div class="pair">
      <div class="stack">
        <Code
          label="REST: one profile"
          price={inCredits(toCredits(priceOf('profile', 'miss')))}
          text={firstCurl(baseUrl, DEMO_HANDLE)}
        />
        <Code label="Every answer says what it cost" text={firstAnswer(DEMO_HANDLE)} />
        <p>
          The key goes into a header, never into the address. Ask with <code>estimate=true</code> to learn the highest
          possible price first, or set <code>max_credits</code> to be sure.
        </p>
      </div>
      <Code
        label="GraphQL: a profile and its timeline"
        price={inCredits(firstQueryPrice('miss').sum)}
        text={firstQuery(DEMO_HANDLE)}
      />
    </div>
  </Section>
);

/** `GET /` for a browser: what Perch is, what it costs, and the first two reads. */
export const landingPage = (model: LandingModel): string =>
  document(
    {
      title: 'Perch: public social data, paid by the item',
      description: 'A read-only data service over a public social network: GraphQL and REST on one priced path.',
    },
    <>
      <Hero {...model} />
      <FirstReads {...model} />
      {model.demo ? <Demo /> : null}
      <Prices />
      <Free />
      <Packs />
    </>,
  );
