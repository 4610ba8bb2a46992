// A thread of its own for pictures: the library takes tenths of a second for one, and reads would wait for it.
// It starts TypeScript as the command does.
import { fileURLToPath } from 'node:url';
import { parentPort } from 'node:worker_threads';
import { register } from 'tsx/esm/api';

register({ tsconfig: fileURLToPath(new URL('../../tsconfig.json', import.meta.url)) });
const { drawChart } = await import('./chart.ts');

parentPort.on('message', ({ id, data, look }) => {
  try {
    parentPort.postMessage({ id, svg: drawChart(data, look) });
  } catch (error) {
    parentPort.postMessage({ id, error: String(error) });
  }
});
