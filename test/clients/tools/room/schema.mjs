/** Writes the schema of a GraphQL endpoint as text, as compilers want it. */
import { writeFileSync } from 'node:fs';
import { buildClientSchema, getIntrospectionQuery, printSchema } from 'graphql';

const [, , address, file] = process.argv;
const headers = { 'content-type': 'application/json' };
const answer = await fetch(address, {
  method: 'POST',
  headers,
  body: JSON.stringify({ query: getIntrospectionQuery() }),
});
writeFileSync(file, printSchema(buildClientSchema((await answer.json()).data)));
