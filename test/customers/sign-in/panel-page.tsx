import { document } from '../../../adapters/pages/kit/layout.js';
import { PasskeyPanel, type PasskeyPanelProps } from '../../../adapters/pages/sign-in/passkey-panel.js';

/** A page of the dashboard with the panel on it. */
export const panelPage = (props: PasskeyPanelProps): string =>
  document(
    { title: 'Security · Perch', description: 'How you sign in.' },
    <div class="wrap page narrow">
      <h1>Security</h1>
      <section aria-labelledby="passkeys">
        <h2 id="passkeys">Passkeys</h2>
        <PasskeyPanel {...props} />
      </section>
    </div>,
  );
