/** Every form of the dashboard has a row that says which roles may send it. */
import type { FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import type { DashboardOptions } from '../../../../adapters/pages/dashboard/frame/services.js';
import {
  actionOf,
  FORMS,
  formRule,
  isCounted,
  withAccountNamed,
  withLockedForms,
} from '../../../../adapters/pages/dashboard/members/permissions.js';
import { mountDashboard } from '../../../../adapters/pages/dashboard/mount.js';
import { mountPasskeys } from '../../../../adapters/pages/sign-in/passkey-routes.js';
import { ACTIONS, ROLES, type Role, whyNot } from '../../../../src/domain/audit.js';
import { BUSY } from '../fixture.js';
import { PATHS } from '../paths.js';
import { serveHousehold } from '../stand-ins.js';

/** Every route that takes a POST, as the pages are mounted. */
function postRoutes(): string[] {
  const urls: string[] = [];
  const keyless = (methods: readonly string[], url: string) => {
    if (methods.includes('POST') && url.startsWith('/dashboard')) urls.push(url);
  };
  const app = { addHook() {}, register() {}, baseUrl: '', authUrl: '' } as unknown as FastifyInstance;
  mountDashboard(app, { keyless, accounts: {} } as unknown as DashboardOptions);
  mountPasskeys(keyless as never, {} as never, async () => {});
  return urls;
}

describe('the table of forms', () => {
  it('has a row for every route that takes a POST, and no other', () => {
    const routes = postRoutes();
    expect(routes.length).toBeGreaterThan(20);
    expect(routes.toSorted()).toEqual(Object.keys(FORMS).toSorted());
  });

  it('refuses to mount a form without a row', () => {
    expect(() => formRule('/dashboard/unheard-of')).toThrow('no row');
  });

  it('lets the owner do everything', () => {
    for (const action of Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]) expect(whyNot(action, 'owner')).toBeNull();
  });

  it('lets a read-only member change only their own things', () => {
    for (const [url, action] of Object.entries(FORMS)) {
      expect([url, formRule(url)('reader') === null]).toEqual([url, action === 'self']);
    }
  });

  it('counts no form that only takes something away, or concerns only the person', () => {
    expect(Object.keys(FORMS).filter((url) => FORMS[url] !== 'self' && !isCounted(url))).toEqual([
      '/dashboard/keys/:keyId/revoke',
      '/dashboard/alerts/:alertId/remove',
      '/dashboard/watches/:watchId/pause',
      '/dashboard/watches/:watchId/end',
      '/dashboard/clients/:grantId/revoke',
      '/dashboard/members/:personId/remove',
      '/dashboard/members/invitations/:invitationId/withdraw',
    ]);
    expect(Object.keys(FORMS).filter((url) => FORMS[url] === 'self' && isCounted(url))).toEqual([]);
  });

  it('gives each role a reason for what it may not do', () => {
    for (const url of Object.keys(FORMS)) {
      for (const role of Object.keys(ROLES) as Role[]) {
        const why = formRule(url)(role);
        if (why !== null) expect(why).toMatch(/^Your role on this account is [a-z ]+\. Only .+ can .+\.$/);
      }
    }
  });
});

describe('a page', () => {
  it('has no form that is not in the table, and none that a read-only member could send', async () => {
    const served = await serveHousehold({ ...BUSY, role: 'reader' });
    const seen = new Set<string>();
    try {
      for (const path of PATHS) {
        const page = await (await fetch(served.url + path, { headers: { accept: 'text/html' } })).text();
        for (const [, action = '', inner = ''] of page.matchAll(
          /<form method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/gs,
        )) {
          if (action === '/sign-out') continue;
          const does = actionOf(action);
          expect([path, action, does]).not.toContain(undefined);
          if (does !== undefined) seen.add(does);
          expect([path, action, inner.startsWith('<fieldset class="locked" disabled>')]).toEqual([
            ...[path, action, does !== 'self'],
          ]);
        }
        expect(page.match(/<form(?=[^>]* method="post")(?! method="post" action=)/g)).toBeNull();
      }
    } finally {
      await served.close();
    }
    expect([...seen].sort()).toEqual(Object.keys(ACTIONS).sort());
  });

  const form = (action: string) => `<form method="post" action="${action}" class="x"><button>Go</button></form>`;

  it('names its account in every form that changes the account, and in no other', async () => {
    const served = await serveHousehold(BUSY);
    const naming = new Set<string>();
    try {
      for (const path of PATHS) {
        const page = await (await fetch(served.url + path, { headers: { accept: 'text/html' } })).text();
        for (const [, action = '', inner = ''] of page.matchAll(
          /<form method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/gs,
        )) {
          const named = inner.includes(`<input type="hidden" name="shown_account" value="${BUSY.account.accountId}"`);
          const does = actionOf(action);
          expect([path, action, named]).toEqual([path, action, does !== undefined && does !== 'self']);
          if (named && does !== undefined) naming.add(does);
        }
      }
    } finally {
      await served.close();
    }
    expect(naming.size).toBe(Object.keys(ACTIONS).length - 1);
    // The owner has no form to leave the account, the only one of its kind that changes the account.
    expect(withAccountNamed(form('/dashboard/members/leave'), 'id')).toContain('name="shown_account" value="id"');
  });

  it('disables the controls of forms that the role may not send, and gives the reason', () => {
    const locked = withLockedForms(form('/dashboard/keys/0b9f2a52/rotate'), 'billing');
    expect(locked).toContain('<fieldset class="locked" disabled><button>Go</button></fieldset>');
    expect(locked).toContain('Only the owner and developers can');
  });

  it.each(['/sign-out', '/dashboard/mode', '/dashboard/members/leave', '/dashboard/security/end-others'])(
    'leaves the form to %s as it is',
    (action) => {
      expect(withLockedForms(form(action), 'reader')).toBe(form(action));
    },
  );
});
