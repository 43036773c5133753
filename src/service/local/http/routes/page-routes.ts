import type { FastifyInstance, FastifyRequest } from 'fastify';
import { openApiDocument } from '../../../api/openapi/openapi.ts';
import { apiPage } from '../../sandbox/pages/api-page.ts';
import { sendPage } from '../../sandbox/pages/page.ts';
import type { Context } from '../context.ts';
import { exampleValues } from '../example-values.ts';

/** The service described: for people at `/`, for programs at `/openapi.json`. */
export function pageRoutes(app: FastifyInstance, context: Context): void {
  app.get('/', async (request, reply) => {
    const address = addressOf(request);
    return sendPage(reply, 200, apiPage(openApiDocument(address), exampleValues(context, address)));
  });
  app.get('/openapi.json', async (request) => openApiDocument(addressOf(request)));
}

/** As the client knows it. */
function addressOf(request: FastifyRequest): string {
  return `${request.protocol}://${request.host}`;
}
