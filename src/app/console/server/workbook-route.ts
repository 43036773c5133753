import type { FastifyInstance } from 'fastify';
import { openWarehouse } from '../../answers/query/open-warehouse.ts';
import { projectPath } from '../layout/addresses.ts';
import type { Readers } from '../readers/readers.ts';
import type { DownloadFiles } from './download-files.ts';
import { isOwn } from './guard.ts';
import { fileName, sendWritten, XLSX_TYPE } from './send-download.ts';

/**
 * Registers the route for the workbook of `crawlhouse report --format xlsx`, for the main crawl of a project or one of
 * its crawls (`?crawl=`).
 */
export function workbookRoute(
  app: FastifyInstance,
  readers: Readers,
  files: DownloadFiles,
  signal: AbortSignal,
): void {
  app.get('/projects/:project_id/workbook', async (request, reply) => {
    const { project_id: project } = request.params as { project_id: string };
    const crawl = new URL(request.url, 'http://console').searchParams.get('crawl') || undefined;
    // A page of another site starts nothing.
    if (!isOwn(request.headers)) return reply.redirect(projectPath(project));
    const prepare = async () => ({
      type: XLSX_TYPE,
      name: `${fileName(`${project}-${crawl ?? 'crawl'}`, false)}.xlsx`,
      async write(output: string, within: AbortSignal) {
        const { writeCrawlWorkbook } = await import('../../answers/workbook/write-crawl-workbook.ts');
        const questions = await readers.questions();
        await using warehouse = await openWarehouse(readers, readers.settings);
        await writeCrawlWorkbook(output, warehouse, { project, crawl, questions }, within);
      },
    });
    const failed = 'The workbook could not be written';
    return await sendWritten({ readers, files, request }, { failed, prepare }, reply, signal);
  });
}
