import { parentPort } from 'node:worker_threads';
import { drawChart } from './chart.js';
import type { ChartData } from './chart-data.js';
import type { Look } from './chart-thread.js';

// A separate thread for pictures: the library takes tenths of a second for one, and reads would wait for it.
parentPort?.on('message', ({ id, data, look }: { id: number; data: ChartData; look: Look }) => {
  try {
    parentPort?.postMessage({ id, svg: drawChart(data, look) });
  } catch (error) {
    parentPort?.postMessage({ id, error: String(error) });
  }
});
