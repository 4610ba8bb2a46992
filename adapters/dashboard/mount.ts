import type { FastifyInstance } from 'fastify';
import { mountAccess } from './access-routes.js';
import { createChartThread } from './chart-thread.js';
import { mountKeys } from './key-routes.js';
import { mountMoney } from './money-routes.js';
import { createPictures } from './pictures.js';
import { refuseInWords } from './refusals.js';
import type { DashboardOptions } from './services.js';
import { mountUsage } from './usage-routes.js';
import { roomsOf } from './visit.js';

/** The customer's own pages, under `/dashboard` (A21). Who is not signed in is sent to `/sign-in` and comes back. */
export function mountDashboard(app: FastifyInstance, options: DashboardOptions): void {
  const rooms = roomsOf(options);
  const thread = createChartThread();
  app.addHook('onClose', () => thread.close());
  refuseInWords(app);
  mountUsage(rooms, options, createPictures(thread.draw, options.memories));
  mountKeys(rooms, options, () => app.baseUrl);
  mountMoney(rooms, options);
  mountAccess(rooms, options);
}
