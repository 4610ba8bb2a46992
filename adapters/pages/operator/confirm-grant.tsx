import type { AccountRecord } from '../../../src/ports/accounts.js';
import { creditsOf } from '../kit/signed-in/formats.js';
import type { PageLayout } from '../kit/signed-in/frame.js';
import { Card } from '../kit/signed-in/parts.js';
import { operatorPage } from './frame.js';
import type { GrantAsked, GrantInput } from './grant-form.js';

export interface ConfirmModel {
  readonly layout: PageLayout;
  readonly account: AccountRecord;
  readonly grantId: string;
  readonly typed: GrantInput;
  readonly asked: GrantAsked;
}

/** Asks for the second time before credits are granted: they cannot be taken back here. */
export const confirmGrantPage = ({ layout, account, grantId, typed, asked }: ConfirmModel): string =>
  operatorPage(
    { title: `Grant ${creditsOf(asked.amount)}?`, here: '/operator', below: true, layout },
    <Card id="confirm" title="Please confirm">
      <dl class="facts">
        <div>
          <dt>To</dt>
          <dd>
            <bdi>{account.name}</bdi>
            {account.email === null || account.email === account.name ? null : (
              <>
                {' '}
                (<bdi>{account.email}</bdi>)
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Balance afterwards</dt>
          <dd>{creditsOf(account.balance + asked.amount)}</dd>
        </div>
        <div>
          <dt>Reason</dt>
          <dd>
            <bdi>{asked.reason}</bdi>
          </dd>
        </div>
      </dl>
      <p>Granted credits cannot be taken back.</p>
      <form method="post" action={`/operator/accounts/${account.accountId}/grant`} class="row-form">
        <input type="hidden" name="grant" value={grantId} />
        <input type="hidden" name="credits" value={typed.credits} />
        <input type="hidden" name="reason" value={typed.reason} />
        <button type="submit" name="step" value="confirmed" class="button primary">
          Grant now
        </button>
        <button type="submit" name="step" value="change" class="button">
          Change
        </button>
      </form>
    </Card>,
  );
