import type { FastifyInstance, FastifyRequest } from 'fastify';
import { openApiDocument } from '../../../api/openapi/openapi.ts';
import { apiPage } from '../pages/api-page.ts';
import { sendPage } from '../pages/page.ts';
import { exampleValues } from './example-values.ts';
import type { SandboxContext } from './sandbox-context.ts';

/** The service described: for people at `/`, for programs at `/openapi.json`. */
export function pageRoutes(app: FastifyInstance, context: SandboxContext): void {
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
