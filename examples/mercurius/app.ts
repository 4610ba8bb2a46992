/** A Fastify app of one's own, with a route of its own, that has Perch's GraphQL in it. */
import fastify from 'fastify';
// For the type of `app.graphql`.
import type {} from 'mercurius';
import { perchMercurius } from 'perch/mercurius';

const app = fastify({ logger: { level: process.env.LOG_LEVEL ?? 'info' } });
let operations = 0;

app.get('/hello', async () => ({ hello: 'from the app itself', operations }));

await app.register(perchMercurius, { path: '/graphql' });

// Mercurius's own hooks: this one sees every operation that was executed.
app.graphql.addHook('onResolution', async () => {
  operations += 1;
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void app.close());

const port = Number(process.env.PORT ?? 3000);
const url = await app.listen({ host: '127.0.0.1', port }).catch(async (error) => {
  // Closing the app closes Perch, and the database where Perch has started it.
  await app.close();
  throw error;
});
process.stdout.write(`Listening at ${url}\n`);
