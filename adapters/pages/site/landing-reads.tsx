import { toCredits } from '../../../src/domain/credits.js';
import { inCredits } from '../../../src/domain/figures.js';
import { priceOf } from '../../../src/domain/prices.js';
import { DEMO_HANDLE, firstAnswer, firstCurl, firstPath, firstQuery, firstQueryPrice } from '../kit/first-reads.js';
import { Code, Section } from '../kit/parts.js';
import type { LandingModel } from './landing-facts.js';

const LEAD = {
  text: 'A REST call and a GraphQL query, and what they cost.',
  live: 'A REST call and a GraphQL query, and what they cost. Run them: this page uses the demo key, and its credits cost nothing.',
};

/** The data that `files/first-reads.js` needs to run the reads; empty where the page is only text. */
const forTheScript = ({ live }: LandingModel) =>
  live === null
    ? {}
    : { 'data-demo-key': live.key, 'data-handle': live.handles[0], 'data-handles': live.handles.join(' ') };

/** The first call, the first query and an answer; on a demo they run on the page. */
export const FirstReads = (model: LandingModel) => {
  const handle = model.live?.handles[0] ?? DEMO_HANDLE;
  const runs = (path: string) => (model.live === null ? {} : { runs: path });
  return (
    <Section id="first" title="Your first two reads" lead={model.live === null ? LEAD.text : LEAD.live}>
      <div class="reads" {...forTheScript(model)}>
        <Code
          place="call"
          label="REST: one profile"
          price={inCredits(toCredits(priceOf('profile', 'miss')))}
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
