import { createReadStream } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../resources/refusal.ts';
import type { Context } from './context.ts';

type ByToken = { Params: { token: string; file: string } };

/**
 * Files of the download center: everyone with the address may fetch them until they expire (docs/sandbox.md).
 */
export function downloadRoutes(app: FastifyInstance, { downloads }: Context): void {
  app.get<ByToken>('/:token/:file', async ({ params }, reply) => {
    const found = await downloads.find(params.token);
    if (found === undefined || found.name !== params.file) throw notFound('the download');
    return reply
      .header('content-disposition', `attachment; filename="${found.name}"`)
      .header('content-length', found.size)
      .type(found.name.endsWith('.csv') ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8')
      .send(createReadStream(found.path));
  });
}
