import { type GraphQLSchema, printSchema } from 'graphql';
import { adviceTable } from './advice.js';
import { type Catalogue, priceTable } from './catalogue.js';

/** A text that can be read beside the tools, free. */
export interface ResourceText {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly text: string;
}

/** All of them, in a fixed order. */
export const resourcesOf = (schema: GraphQLSchema, catalogue: Catalogue): readonly ResourceText[] => [
  {
    uri: 'perch://prices',
    name: 'prices',
    title: 'Prices',
    description: 'What each tool costs per item: read, held, and with `fresh`.',
    mimeType: 'text/markdown',
    text: priceTable(catalogue),
  },
  {
    uri: 'perch://errors',
    name: 'errors',
    title: 'Error codes',
    description: 'Every code a call can fail with, and what to do next.',
    mimeType: 'text/markdown',
    text: adviceTable(),
  },
  {
    uri: 'perch://schema.graphql',
    name: 'schema.graphql',
    title: 'The GraphQL schema',
    description: 'Everything that can be read over GraphQL at /graphql, with descriptions and prices.',
    mimeType: 'application/graphql',
    text: printSchema(schema),
  },
];
