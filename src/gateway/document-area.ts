// GET /openapi.json of a server that has the gateway alone.

import type { Area } from '../http/server.ts';
import { openApi } from './openapi.ts';

export const documentArea: Area = async (app) => {
  const document = openApi();
  app.get('/openapi.json', (_request, reply) => reply.answer({ status: 200, body: document }));
};
