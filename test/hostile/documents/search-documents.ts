/** `npm run search:documents -- --seconds 600 --seed 7`: searches for long and prints the worst documents found. */
import { parseArgs } from 'node:util';
import { parse, print } from 'graphql';
import { AIMS, type Aim, search } from './search.js';

const { values } = parseArgs({ options: { seconds: { type: 'string' }, seed: { type: 'string' } } });
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const end = performance.now() + Number(values.seconds ?? 60) * 1000;
console.log(`seed ${seed}`);
const { tried, accepted, worst } = await search(seed, () => performance.now() > end);
console.log(`${tried} documents, ${accepted} accepted`);
for (const aim of Object.keys(AIMS) as Aim[]) {
  const { asked, refusal, prepareMs, firstRunMs, secondRunMs, answerBytes, price, weight } = worst[aim];
  const times = `${prepareMs.toFixed(1)} ms to prepare, ${firstRunMs.toFixed(1)} ms interpreted, ${secondRunMs.toFixed(1)} ms the second time`;
  console.log(`\n## ${aim}\n${times}; ${answerBytes} bytes for up to ${price / 1000} credits; weighs ${weight}`);
  if (refusal !== null) console.log(`refused: ${refusal}`);
  console.log(readable(asked.query).slice(0, 4000));
}

function readable(query: string): string {
  try {
    return print(parse(query));
  } catch {
    return query;
  }
}
