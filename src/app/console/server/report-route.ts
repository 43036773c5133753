import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { reportFault } from '../../../core/logs/report-fault.ts';
import { redact } from '../../../core/secrets/redact.ts';
import { loadNotes } from '../../../etl/project/settings/notes.ts';
import { type AskedCrawls, chosenBy, rowsOf } from '../../answers/explore/chosen-crawls.ts';
import { AnswerRow } from '../../answers/report/crawl-answers.ts';
import { type LetterheadSettings, readLetterhead } from '../../answers/report/read-letterhead.ts';
import { type ProjectReport, readSiteReport } from '../../answers/report/read-site-report.ts';
import { readIncidents } from '../../operations/status/remembered.ts';
import { addressOf } from '../layout/addresses.ts';
import type { Readers } from '../readers/readers.ts';
import { sessionOf } from './guard.ts';
import { refuse } from './refuse.ts';

/** Styles and the logo are inline; scripts are not allowed. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Registers the page of `crawlhouse report`, with links to this console, for a project or one of its crawls
 * (`?crawl=`).
 */
export function reportRoute(app: FastifyInstance, readers: Readers, settings: LetterheadSettings): void {
  app.get('/projects/:project_id/report', async (request, reply) => {
    const { project_id: project } = request.params as { project_id: string };
    const crawl = new URL(request.url, 'http://console').searchParams.get('crawl') || undefined;
    try {
      const projects = await readers.lanes.of(sessionOf(request), () => read(readers, { project, crawl }));
      const now = new Date();
      // Imports the chart library.
      const { reportPage } = await import('../../answers/report/report-page.ts');
      const page = reportPage(projects, now, {
        // Incidents are current, like the main crawl.
        incidents: crawl === undefined ? await readIncidents(readers.settings, now.getTime()) : [],
        notes: await loadNotes(settings.projectDir),
        link: addressOf,
        letterhead: await readLetterhead(settings),
      });
      return reply
        .header('content-security-policy', POLICY)
        .type('text/html; charset=utf-8')
        .send(redact(page));
    } catch (thrown) {
      const { code, message, hint, kind } = reportFault(thrown, readers.logger, {
        door: 'console',
        path: request.url,
      });
      const status = kind === 'usage' || code === 'nothing_published' ? 404 : 500;
      return refuse(request, reply, { status, code, title: 'The report could not be read', message, hint });
    }
  });
}

async function read(readers: Readers, asked: AskedCrawls): Promise<readonly ProjectReport[]> {
  const questions = await readers.questions();
  const key = hash('sha256', JSON.stringify([asked, questions]));
  return readers.once(`report: ${key}`, () =>
    readers.lanes.slowPages.run(() =>
      readers.warehouse.use(async (warehouse) =>
        readSiteReport(
          (sql, parameters) => rowsOf(warehouse, AnswerRow, sql, parameters, readers.closing),
          questions,
          await chosenBy(asked, warehouse, readers.closing),
        ),
      ),
    ),
  );
}
