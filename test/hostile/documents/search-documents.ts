/** `npm run search:documents`: the same search as in the tests, for a given time. */
import { parseArgs } from 'node:util';
import { parse, print } from 'graphql';
import { AIMS, type Aim, search } from './search.js';

const HELP = `npm run search:documents -- [--seconds N] [--seed N]

Searches for GraphQL documents that cost the service most, in several ways, and prints the worst of each. Searches for 60
seconds by default, from a seed that it prints.`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    help: { type: 'boolean', default: false },
  },
});

const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
if (values.help || !(seconds > 0) || !Number.isSafeInteger(seed)) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}
const end = performance.now() + seconds * 1000;
console.log(`seed ${seed}`);
const { tried, accepted, worst } = await search(seed, () => performance.now() > end);
console.log(`${tried} documents, ${accepted} accepted`);
for (const aim of Object.keys(AIMS) as Aim[]) {
  const { request, refusal, prepareMs, firstRunMs, secondRunMs, answerBytes, price, weight } = worst[aim];
  const times = `${prepareMs.toFixed(1)} ms to prepare, ${firstRunMs.toFixed(1)} ms interpreted, ${secondRunMs.toFixed(1)} ms the second time`;
  console.log(`\n## ${aim}\n${times}; ${answerBytes} bytes for up to ${price / 1000} credits; weighs ${weight}`);
  if (refusal !== null) console.log(`refused: ${refusal}`);
  console.log(readable(request.query).slice(0, 4000));
}

function readable(query: string): string {
  try {
    return print(parse(query));
  } catch {
    return query;
  }
}
