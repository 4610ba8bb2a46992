import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { printSchemaWithDirectives } from '@graphql-tools/utils';
import { lexicographicSortSchema } from 'graphql';
import { schema } from './index.js';

/** The schema as text, sorted, prices included: the content of `schema.graphql`. */
export const printedSchema = (): string =>
  `${printSchemaWithDirectives(lexicographicSortSchema(schema), { pathToDirectivesInExtensions: ['directives'] })}\n`;

export const SDL_FILE = fileURLToPath(new URL('./schema.graphql', import.meta.url));

export const readSdl = (): string => readFileSync(SDL_FILE, 'utf8');

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(SDL_FILE, printedSchema());
