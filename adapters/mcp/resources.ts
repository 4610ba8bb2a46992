import { type GraphQLSchema, printSchema } from 'graphql';
import { adviceTable } from './advice.js';
import { type Catalogue, priceTable } from './catalogue.js';

/** A text that clients can read for free, besides the tools. */
export interface ResourceText {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly text: string;
}

/** All resources, in a fixed order. */
export const buildResources = (schema: GraphQLSchema, catalogue: Catalogue): readonly ResourceText[] => [
  {
    uri: 'perch://prices',
    name: 'prices',
    title: 'Prices',
    description: 'What each tool costs per item: uncached, cached and fresh.',
    mimeType: 'text/markdown',
    text: priceTable(catalogue),
  },
  {
    uri: 'perch://errors',
    name: 'errors',
    title: 'Error codes',
    description: 'Every error code, and what to do about it.',
    mimeType: 'text/markdown',
    text: adviceTable(),
  },
  {
    uri: 'perch://schema.graphql',
    name: 'schema.graphql',
    title: 'The GraphQL schema',
    description: 'Everything that can be read with GraphQL at /graphql, with descriptions and prices.',
    mimeType: 'application/graphql',
    text: printSchema(schema),
  },
];
