import { writeFile } from 'node:fs/promises';
import { rowsOf } from '../../../answers/explore/chosen-crawls.ts';
import { pagesAddress } from '../../../answers/explore/pages/page-filter.ts';
import { openWarehouse } from '../../../answers/query/open-warehouse.ts';
import { checkOutput } from '../../../answers/query/result/check-output.ts';
import { type ProjectReport, readSiteReport } from '../../../answers/report/read-site-report.ts';
import type { ConsoleLink } from '../../../answers/report/report-page.ts';
import { writeWhole } from '../../../core/files/atomic-file.ts';
import { giveUserMode } from '../../../core/files/private-files.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { readIncidents } from '../../../operations/status/read-incidents.ts';
import { loadQuestions } from '../../../pipeline/transform/questions/questions.ts';
import { loadNotes } from '../../../project/settings/notes.ts';
import type { Settings } from '../../../project/settings/settings.ts';
import { sqlFolders } from '../../../project/sql/models/sql-folders.ts';
import { checkProject } from '../../../state/catalogue/resolve-parameters.ts';

/**
 * The report on the published warehouse.
 *
 * @param project its name or identifier; undefined: all
 * @throws CrawlhouseError `usage` for a project that is not there, `nothing_published`
 */
export async function readReport(
  settings: Settings,
  project: string | undefined,
  logger: Logger,
  signal: AbortSignal,
): Promise<readonly ProjectReport[]> {
  const questions = await loadQuestions(sqlFolders(settings));
  await using warehouse = await openWarehouse({ logger }, settings);
  if (project !== undefined) await checkProject(project, warehouse, signal);
  return await readSiteReport(
    (sql, parameters) => rowsOf(warehouse, sql, parameters, signal),
    questions,
    project,
  );
}

/** Writes a report as a page, whole or not at all. */
export async function writeReport(
  projects: readonly ProjectReport[],
  given: string,
  settings: Settings,
): Promise<void> {
  const { warehouse, state_dir } = settings;
  const path = await checkOutput(given, { warehouse, stateDir: state_dir });
  const now = new Date();
  const incidents = await readIncidents(settings, now.getTime());
  const notes = await loadNotes(settings.projectDir);
  // It brings the library of the charts.
  const { reportPage } = await import('../../../answers/report/report-page.ts');
  const page = reportPage(projects, now, { incidents, notes, link: consoleLink(settings) });
  await writeWhole(path, async (growing) => {
    await writeFile(growing, page);
    await giveUserMode(growing);
  });
}

function consoleLink({ console_url: url }: Settings): ConsoleLink {
  if (url === undefined) return () => null;
  const base = url.replace(/\/$/, '');
  return (project, parts) =>
    base + (parts === undefined ? `/projects/${encodeURIComponent(project)}` : pagesAddress(project, parts));
}
