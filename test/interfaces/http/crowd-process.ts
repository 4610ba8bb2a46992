/**
 * A server in a process of its own, so that its memory can be measured. Reports its address, and its memory on request.
 */
import { startBareServer } from './server.js';

const { app, url } = await startBareServer();
process.on('message', () => process.send?.({ rssBytes: process.memoryUsage.rss(), shed: app.pressure.shed }));
process.on('disconnect', () => process.exit());
process.send?.({ url });
