import { readFileSync } from 'node:fs';
import { document } from '../kit/layout.js';

const LICENCE = readFileSync(new URL('../../../LICENSE', import.meta.url), 'utf8');

/** Addresses that the operator gives; null: not given. */
export interface LegalLinks {
  readonly terms: string | null;
  readonly privacy: string | null;
}

/** `GET /legal` for a program. */
export const legalFacts = (links: LegalLinks) => ({ licence: 'MIT', ...links });

const Link = ({ href, text }: { href: string; text: string }) => (
  <li>
    <a href={href}>{text}</a>
  </li>
);

/** `GET /legal` for a browser: the operator's terms and privacy policy, and the licence of the software. */
export const legalPage = ({ terms, privacy }: LegalLinks): string =>
  document(
    {
      title: 'Licence and terms · Perch',
      description: 'The terms and the privacy policy of this service, and the licence of its software.',
    },
    <div class="wrap page narrow">
      <h1>Licence and terms</h1>
      <h2>This service</h2>
      {terms === null && privacy === null ? (
        <p>Its operator has published neither terms of use nor a privacy policy here.</p>
      ) : (
        <ul>
          {terms === null ? null : <Link href={terms} text="Terms of use" />}
          {privacy === null ? null : <Link href={privacy} text="Privacy policy" />}
        </ul>
      )}
      <p>
        What the service keeps, and how it is protected: <a href="/docs/security">security</a>.
      </p>
      <h2>The software</h2>
      {LICENCE.trim()
        .split(/\n{2,}/)
        .map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
    </div>,
  );
