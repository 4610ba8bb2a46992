import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errorsPage } from './errors-page.js';
import { restPage } from './rest-page.js';

/** The pages of `docs/` that are made from the interface, by name. */
export const generatedPages = (): Readonly<Record<string, string>> => ({
  'errors.md': errorsPage(),
  'rest.md': restPage(),
});

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, text] of Object.entries(generatedPages())) {
    writeFileSync(new URL(`../../docs/${name}`, import.meta.url), text);
  }
}
