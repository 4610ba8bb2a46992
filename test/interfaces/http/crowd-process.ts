/** A server in a process of its own, whose memory is nobody else's: tells its address, and its memory when asked. */
import { startBareServer } from './server.js';

const { app, url } = await startBareServer();
process.on('message', () => process.send?.({ rssBytes: process.memoryUsage.rss(), shed: app.pressure.shed }));
process.on('disconnect', () => process.exit());
process.send?.({ url });
