import type { StatusModel } from './status-model.js';

/** What this configuration can and cannot read from the network, in the network's own messages. */
export const Findings = ({ network, networkFindings }: StatusModel) =>
  networkFindings.length === 0 ? null : (
    <li>
      <h2>What can be read from {network}</h2>
      {networkFindings.map(({ ok, what }) => (
        <p key={what}>
          <span class={`badge ${ok ? 'ok' : 'degraded'}`}>{ok ? 'Yes' : 'No'}</span> {what}
        </p>
      ))}
    </li>
  );
