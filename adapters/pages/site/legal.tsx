import { readFileSync } from 'node:fs';
import { Contact, document, type Publisher } from '../kit/layout.js';

const LICENCE = readFileSync(new URL('../../../LICENSE', import.meta.url), 'utf8');

/** `GET /legal` for a program. */
export const legalFacts = (publisher: Publisher) => ({ licence: 'MIT', ...publisher });

const PAGES = [
  { name: 'terms', title: 'Terms of use', missing: 'has not published terms of use' },
  { name: 'privacy', title: 'Privacy policy', missing: 'has not published a privacy policy' },
  { name: 'refunds', title: 'Refund policy', missing: 'has not published a refund policy' },
] as const;

/** `GET /legal` for a browser: the contact, the operator's terms and policies, and the licence of the software. */
export const legalPage = (publisher: Publisher): string =>
  document(
    {
      title: 'Licence and terms · Perch',
      description: 'Contact, terms and policies of this service, and the licence of its software.',
    },
    <div class="wrap page narrow">
      <h1>Licence and terms</h1>
      <h2>This service</h2>
      <dl class="facts">
        <div class="wide">
          <dt>Contact and support</dt>
          <dd>
            {publisher.contact === null ? (
              'The operator has not published a contact'
            ) : (
              <Contact contact={publisher.contact} />
            )}
          </dd>
        </div>
        {PAGES.map(({ name, title, missing }) => (
          <div key={name} class="wide">
            <dt>{title}</dt>
            <dd>
              {publisher[name] === null ? `The operator ${missing}` : <a href={publisher[name]}>{publisher[name]}</a>}
            </dd>
          </div>
        ))}
        <div class="wide">
          <dt>Availability</dt>
          <dd>
            {publisher.terms === null ? 'None is promised' : 'Only what the terms promise'};{' '}
            <a href="/status">what was measured</a>
          </dd>
        </div>
      </dl>
      <p>
        What the service keeps, and how it is protected: <a href="/docs/security">security</a>. What reads and packs
        cost: <a href="/pricing">pricing</a>.
      </p>
      <h2>The software</h2>
      {LICENCE.trim()
        .split(/\n{2,}/)
        .map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
    </div>,
  );
