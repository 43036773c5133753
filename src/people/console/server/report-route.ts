import type { FastifyInstance } from 'fastify';
import { type AskedCrawls, chosenBy, rowsOf } from '../../../answers/explore/chosen-crawls.ts';
import { type LetterheadSettings, readLetterhead } from '../../../answers/report/read-letterhead.ts';
import { type ProjectReport, readSiteReport } from '../../../answers/report/read-site-report.ts';
import { reportFault } from '../../../core/logs/report-fault.ts';
import { redact } from '../../../core/secrets/redact.ts';
import { readIncidents } from '../../../operations/status/remembered.ts';
import { loadNotes } from '../../../project/settings/notes.ts';
import { type Readers, UNTIL_READ } from '../desk/desk.ts';
import { addressOf } from '../layout/addresses.ts';
import { sessionOf } from './guard.ts';
import { refuse } from './refuse.ts';

/** Its style is within it, and so is a logo; a script has no place. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The page that `crawlhouse report` writes, with links to this console: of a project, or of one of its crawls (`?crawl=`). */
export function reportRoute(app: FastifyInstance, desk: Readers, settings: LetterheadSettings): void {
  app.get('/projects/:project_id/report', async (request, reply) => {
    const { project_id: project } = request.params as { project_id: string };
    const crawl = new URL(request.url, 'http://console').searchParams.get('crawl') || undefined;
    try {
      const projects = await desk.lanes.of(sessionOf(request), () => read(desk, { project, crawl }));
      const now = new Date();
      // It brings the library of the charts.
      const { reportPage } = await import('../../../answers/report/report-page.ts');
      const page = reportPage(projects, now, {
        // They are of the present, as the main crawl is.
        incidents: crawl === undefined ? await readIncidents(desk.settings, now.getTime()) : [],
        notes: await loadNotes(settings.projectDir),
        link: addressOf,
        letterhead: await readLetterhead(settings),
      });
      return reply
        .header('content-security-policy', POLICY)
        .type('text/html; charset=utf-8')
        .send(redact(page));
    } catch (thrown) {
      const { code, message, hint, kind } = reportFault(thrown, desk.logger, {
        door: 'console',
        path: request.url,
      });
      const status = kind === 'usage' || code === 'nothing_published' ? 404 : 500;
      return refuse(request, reply, { status, code, title: 'The report could not be read', message, hint });
    }
  });
}

function read(desk: Readers, asked: AskedCrawls): Promise<readonly ProjectReport[]> {
  return desk.once(`report: ${JSON.stringify(asked)}`, () =>
    desk.lanes.slowPages.run(() =>
      desk.warehouse.use(async (warehouse) =>
        readSiteReport(
          (sql, parameters) => rowsOf(warehouse, sql, parameters, UNTIL_READ),
          await desk.questions(),
          await chosenBy(asked, warehouse, UNTIL_READ),
        ),
      ),
    ),
  );
}
