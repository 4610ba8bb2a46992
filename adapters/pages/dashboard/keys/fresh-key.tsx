import type { KeyRecord } from '../../../../src/ports/accounts.js';
import { curl, DEMO_HANDLE, firstPath } from '../../kit/first-reads.js';
import { Card, Notice, When } from '../../kit/signed-in/parts.js';
import { type DashboardLayout, dashboardPage } from '../frame/dashboard-page.js';
import type { FreshKey } from './fresh-key-cookie.js';

/** Shown after a key was made or rotated, and the only page that ever shows the full key. */
export const freshKeyPage = (
  model: FreshKey & { readonly layout: DashboardLayout; readonly record: KeyRecord; readonly baseUrl: string },
): string => {
  const isTest = model.layout.playCredits !== null;
  return dashboardPage(
    {
      title: model.oldEnds === undefined ? 'Key created' : 'Key rotated',
      here: '/dashboard/keys',
      below: true,
      once: true,
      layout: model.layout,
    },
    <>
      <Notice tone="warn" title="Copy the key now: it is shown only once.">
        Perch stores only a hash of it and cannot show it again.
      </Notice>
      <Card
        id="key"
        title={model.record.name}
        {...(model.oldEnds === undefined
          ? {}
          : {
              lead:
                model.oldEnds === null ? (
                  'The old key has been revoked.'
                ) : (
                  <>
                    The old key works until <When at={model.oldEnds} /> UTC.
                  </>
                ),
            })}
      >
        <figure class="code once">
          <figcaption>The key</figcaption>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
          <pre tabIndex={0} data-copy>
            <code>{model.key}</code>
          </pre>
        </figure>
        <figure class="code once">
          <figcaption>{isTest ? 'A first read, for 1 play credit' : 'A free first request'}</figcaption>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
          <pre tabIndex={0} data-copy>
            <code>{`export PERCH_KEY=${model.key}\n${curl(model.baseUrl, isTest ? firstPath(DEMO_HANDLE) : '/v1/me')}`}</code>
          </pre>
        </figure>
        {isTest ? (
          <p class="soft">Paste it into a terminal. The request appears on the overview, under “Recent requests”.</p>
        ) : null}
        <p class="actions">
          <a class="button primary" href={isTest ? '/dashboard' : '/dashboard/keys'}>
            I have copied it
          </a>
        </p>
      </Card>
    </>,
  );
};
