import { writeFile } from 'node:fs/promises';
import { writeWhole } from '../../../core/files/atomic-file.ts';
import { giveUserMode } from '../../../core/files/private-files.ts';
import { loadNotes } from '../../../etl/project/settings/notes.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import { sqlFolders } from '../../../etl/project/sql/models/sql-folders.ts';
import { loadQuestions } from '../../../etl/project/sql/questions/questions.ts';
import { type AskedCrawls, asking, chosenBy, rowsOf } from '../../answers/explore/chosen-crawls.ts';
import { checkIssue } from '../../answers/explore/pages/page-statement.ts';
import type { AddressOf } from '../../answers/presentation/print-html.ts';
import { openWarehouse } from '../../answers/query/open-warehouse.ts';
import { checkOutput, filesOfProject } from '../../answers/query/result/check-output-file.ts';
import { AnswerRow } from '../../answers/report/crawl-answers.ts';
import { readLetterhead } from '../../answers/report/read-letterhead.ts';
import { type ProjectReport, readSiteReport } from '../../answers/report/read-site-report.ts';
import { addressOf } from '../../console/layout/addresses.ts';
import { readIncidents } from '../../operations/status/remembered.ts';
import type { Invocation } from '../command.ts';

interface AskedReport extends AskedCrawls {
  /** Only these issues; empty means all. */
  readonly issues?: readonly string[];
}

/**
 * Reads the data of the report from the published warehouse.
 *
 * @throws CrawlhouseError `usage` for an unknown project, crawl or issue; `nothing_published`
 */
export async function readReport(
  settings: Settings,
  { issues = [], ...asked }: AskedReport,
  { logger, say }: Pick<Invocation, 'logger'> & Partial<Pick<Invocation, 'say'>>,
  signal: AbortSignal,
): Promise<readonly ProjectReport[]> {
  const questions = await loadQuestions(sqlFolders(settings));
  await using warehouse = await openWarehouse({ logger, ...(say !== undefined && { say }) }, settings);
  const chosen = await chosenBy(asked, warehouse, signal);
  for (const issue of issues) await checkIssue(asking(warehouse, signal), issue);
  const projects = await readSiteReport(
    (sql, parameters) => rowsOf(warehouse, AnswerRow, sql, parameters, signal),
    questions,
    chosen,
  );
  if (issues.length === 0) return projects;
  const isChosen = ({ issue }: { readonly issue?: unknown }): boolean => issues.includes(String(issue));
  return projects.map((project) => ({
    ...project,
    issues: project.issues.filter(isChosen),
    findings: project.findings.filter(isChosen),
  }));
}

/** Writes a report as a page, atomically. */
export async function writeReport(
  projects: readonly ProjectReport[],
  { output, remark }: { readonly output: string; readonly remark?: string | undefined },
  settings: Settings,
): Promise<void> {
  const path = await checkOutput(output, filesOfProject(settings));
  const letterhead = { ...(await readLetterhead(settings)), remark };
  const now = new Date();
  const incidents = await readIncidents(settings, now.getTime());
  const notes = await loadNotes(settings.projectDir);
  // Imports the chart library.
  const { reportPage } = await import('../../answers/report/report-page.ts');
  const page = reportPage(projects, now, { incidents, notes, link: consoleLink(settings), letterhead });
  await writeWhole(path, async (growing) => {
    await writeFile(growing, page);
    await giveUserMode(growing);
  });
}

function consoleLink({ console_url: url }: Settings): AddressOf {
  if (url === undefined) return () => null;
  const base = url.replace(/\/$/, '');
  return (link) => (link.to === 'web' ? link.address : base + addressOf(link));
}
