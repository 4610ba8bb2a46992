import { type AuthenticatedRoutes, redirectTo } from './authenticated-routes.js';
import { chooseMode, pageBefore } from './mode-switch.js';
import type { DashboardServices } from './services.js';

/** The switch between live and test mode. Entering test mode opens the test account. */
export function mountModeSwitch(routes: AuthenticatedRoutes, { accounts }: Pick<DashboardServices, 'accounts'>): void {
  routes.form('/dashboard/mode', '/dashboard/keys', async ({ account, by }, form, reply) => {
    if (chooseMode(form, reply) === 'test') await accounts.openTestAccount(account.accountId, by);
    return redirectTo(reply, pageBefore(form));
  });
}
