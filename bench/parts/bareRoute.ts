// A fastify server with one route: the query of GET /api/schedules/:schedulePda and nothing around it. DATABASE_URL says where.
import Fastify from 'fastify';
import { openDatabase } from '../../packages/coordinator/dist/store/db/openDatabase.js';
import { findRegisteredSchedule } from '../../packages/coordinator/dist/store/queries/registeredSchedule.js';

const { api } = await openDatabase({ databaseUrl: process.env.DATABASE_URL, dataDir: 'unused', onError: () => {} });
const app = Fastify({ logger: false });
app.get<{ Params: { schedulePda: string } }>('/api/schedules/:schedulePda', (request) =>
  findRegisteredSchedule(api, request.params.schedulePda),
);
process.send?.({ url: await app.listen({ host: '127.0.0.1', port: 0 }) });
