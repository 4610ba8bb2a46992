/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import { document } from './layout.js';
import { Bird } from './parts.js';

/** The answer to a browser that asks for an address which isn't there; status 404. */
export const notFoundPage = (): string =>
  document(
    { title: 'Nothing sits here · Perch', description: 'There is no page at this address.' },
    <div class="wrap page narrow lost">
      <Bird />
      <h1>Nothing sits here</h1>
      <p class="lead">There is no page at this address. It may have been mistyped, or the branch was sawn off.</p>
      <p class="actions">
        <a class="button primary" href="/">
          To the start
        </a>
        <a class="button" href="/graphql">
          GraphiQL
        </a>
      </p>
    </div>,
  );
