/** What promtool finds wrong with the metrics. */
import { spawnSync } from 'node:child_process';

const input = await (await fetch(process.env.PERCH_METRICS)).text();
const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
console.log(JSON.stringify({ status, complaints: stderr.trim().split('\n').filter(Boolean) }));
