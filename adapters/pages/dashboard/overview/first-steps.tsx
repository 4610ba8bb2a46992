import type { ComponentChildren } from 'preact';
import { figure, formatCredits } from '../../../../src/domain/figures.js';
import { PLAY_CREDITS } from '../../../../src/domain/mode.js';
import { DEMO_HANDLE, firstCurl } from '../../kit/first-reads.js';
import { Card } from '../../kit/signed-in/parts.js';
import type { FirstSteps, OverviewModel } from './overview-model.js';

/** Only the ticks of the list change while the page is open. */
export const Ticks = ({ steps }: { steps: FirstSteps }) => (
  <>
    {[steps.hasTestKey, steps.hasRead, steps.isLive].map((isDone, index) => (
      <Tick key={index} number={index + 1} isDone={isDone} />
    ))}
  </>
);

const Tick = ({ number, isDone }: { number: number; isDone: boolean }) => (
  <span id={`live-step-${number}`} class={isDone ? 'tick done' : 'tick'}>
    <span aria-hidden="true">{isDone ? '✓' : number}</span>
    <span class="unseen">{isDone ? 'Done:' : `Step ${number}:`}</span>
  </span>
);

const Step = (props: { number: number; isDone: boolean; title: string; children: ComponentChildren }) => (
  <li>
    <h3>
      <Tick number={props.number} isDone={props.isDone} /> {props.title}
    </h3>
    {props.children}
  </li>
);

/** Leads a new account to its first read, and then to live reads. Every tick shows a fact from the database. */
export const FirstStepsCard = ({ steps, baseUrl, mode, account }: OverviewModel & { steps: FirstSteps }) => (
  <Card
    id="start"
    title="Get started"
    lead={
      <>
        Three steps to live data. The <a href="/docs/quickstart">Quickstart</a> explains each of them.
      </>
    }
    aside={
      <form method="post" action="/dashboard/first-steps/hide">
        <button type="submit" class="button small">
          Hide<span class="unseen"> the first steps</span>
        </button>
      </form>
    }
  >
    <ol class="steps">
      <Step number={1} isDone={steps.hasTestKey} title="Create a test key">
        <p class="soft">
          Free: {figure(PLAY_CREDITS)} play credits a day, on an invented network with the endpoints, prices and errors
          of live keys.
        </p>
        {steps.hasTestKey ? null : (
          <form method="post" action="/dashboard/keys">
            <input type="hidden" name="name" value="First test key" />
            <input type="hidden" name="mode" value="test" />
            <button type="submit" class="button primary">
              Create a test key
            </button>
          </form>
        )}
      </Step>
      <Step number={2} isDone={steps.hasRead} title="Run this line, and see it arrive below">
        <figure class="code">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
          <pre tabIndex={0} data-copy>
            <code>{firstCurl(baseUrl, DEMO_HANDLE)}</code>
          </pre>
        </figure>
        <p class="soft">
          Paste it into a terminal in which <code>PERCH_KEY</code> is your test key. It costs 1 play credit, and shows
          up under “Recent requests” on this page within seconds
          {mode === 'test' ? '' : ', once test mode is on in the menu'}. No terminal? <a href="/graphql">GraphiQL</a>{' '}
          can use a test key for you.
        </p>
      </Step>
      <Step number={3} isDone={steps.isLive} title="Go live">
        <p class="soft">
          {steps.hasCredits && mode === 'live'
            ? `You have ${formatCredits(account.balance)}. `
            : steps.hasCredits
              ? 'You have credits. '
              : 'Live reads cost credits, which do not expire. '}
          {steps.hasLiveKey ? 'You have a live key.' : 'Your program needs a live key in place of the test key.'}
        </p>
        <p class="actions">
          {steps.hasCredits ? null : (
            <a class="button small" href="/dashboard/credits">
              Get credits
            </a>
          )}
          {steps.hasLiveKey ? null : (
            <a class="button small" href="/dashboard/keys?mode=live">
              Create a live key
            </a>
          )}
        </p>
      </Step>
    </ol>
  </Card>
);
