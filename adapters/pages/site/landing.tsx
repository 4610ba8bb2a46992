import type { ComponentChildren } from 'preact';
import { figure, inCredits } from '../../../src/domain/figures.js';
import { firstQueryPrice } from '../kit/first-reads.js';
import { document } from '../kit/layout.js';
import { Bird, Section } from '../kit/parts.js';
import type { LandingModel } from './landing-facts.js';
import { Dashboard, Demo, FirstReads, NewTweets, Ways } from './landing-sections.js';
import { Free, Months, Packs, Prices } from './pricing.js';

const Receipt = () => {
  const full = firstQueryPrice('miss');
  const cached = firstQueryPrice('hit');
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
        <div class="cached">
          <dt>The same, cached</dt>
          <dd>{figure(cached.sum)}</dd>
        </div>
      </dl>
    </div>
  );
};

const NETWORKS: Readonly<Record<string, string>> = {
  corpus: 'its own archive',
  bluesky: 'Bluesky',
  x: 'X',
  mastodon: 'Mastodon',
};

const Actions = ({ demo, children }: Pick<LandingModel, 'demo'> & { children: ComponentChildren }) => (
  <p class="actions">
    {demo ? null : (
      <a class="button primary" href="/dashboard/keys">
        Get a key
      </a>
    )}
    <a class={demo ? 'button primary' : 'button'} href="/graphql">
      Open GraphiQL
    </a>
    {children}
  </p>
);

const Hero = ({ version, network, demo }: LandingModel) => (
  <div class="wrap hero">
    <div>
      <p class="eyebrow">
        Version {version} · reads {demo ? 'the demo network' : (NETWORKS[network] ?? network)}
      </p>
      <h1>
        Public social data, <span class="mark">paid by the item</span>
      </h1>
      <p class="lead">
        Perch reads public profiles, tweets, timelines, threads, followers and search results for you. One key and one
        wallet for GraphQL, REST and MCP. Every response says what it cost.
      </p>
      <Actions demo={demo}>
        <a class="button" href="/docs">
          Documentation
        </a>
      </Actions>
    </div>
    <Receipt />
  </div>
);

const Begin = ({ demo }: LandingModel) => (
  <Section
    id="begin"
    title="Make the first call"
    lead={
      demo
        ? 'GraphiQL opens with the demo key, and shows what each run costs. Nothing to install, nothing to pay.'
        : 'A key takes a minute. A test key reads invented data for play credits: nothing to pay until you read the network.'
    }
  >
    <Actions demo={demo}>
      <a class="button" href="/docs">
        Read the documentation
      </a>
      <a class="button" href="/pricing">
        See pricing
      </a>
    </Actions>
  </Section>
);

/** `GET /` for a browser: what Perch is, what it costs, and the first two reads. */
export const landingPage = (model: LandingModel): string =>
  document(
    {
      title: 'Perch: public social data, paid by the item',
      description: 'A read-only data service over a public social network: GraphQL, REST and MCP at the same prices.',
      ...(model.live === null ? {} : { script: 'first-reads.js' as const }),
    },
    <>
      <Hero {...model} />
      <FirstReads {...model} />
      <Ways {...model} />
      <NewTweets {...model} />
      {model.demo ? <Demo /> : null}
      <Prices />
      <Packs />
      <Months />
      <p class="wrap more">
        <a href="/pricing#calculator">Calculate what your reads cost</a>
      </p>
      <Free />
      <Dashboard {...model} />
      <Begin {...model} />
    </>,
  );
