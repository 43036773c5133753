import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { SheetCell } from '../../../core/xlsx/cell.ts';
import type { WorkbookWriter } from '../../../core/xlsx/workbook-writer.ts';
import { bindQuestion } from '../../../etl/project/sql/questions/bind-question.ts';
import { type Question, questionNamed } from '../../../etl/project/sql/questions/questions.ts';
import { type AskedCrawls, chosenBy, onlyCrawl, rowsOf } from '../explore/chosen-crawls.ts';
import { type ListedIssue, readIssueList } from '../explore/issues/issue-list.ts';
import { readIssues } from '../explore/issues/read-issues.ts';
import { pageStatement } from '../explore/pages/page-statement.ts';
import type { Warehouse } from '../query/warehouse.ts';
import { AnswerRow } from '../report/crawl-answers.ts';
import { readSiteReport } from '../report/read-site-report.ts';
import { addAnswer } from './add-answer.ts';
import { SUMMARY_COLUMNS, summaryRows } from './summary-rows.ts';
import { writeWorkbook } from './write-workbook.ts';

const REDIRECTS = 'q23_redirect_map';
const ISSUE_COLUMNS = {
  Issue: 'title',
  Severity: 'severity',
  Subject: 'category',
  Priority: 'priority',
  Pages: 'pages',
  New: 'new',
  Fixed: 'fixed',
  'Not read again': 'missing',
  Remaining: 'remaining',
  Clicks: 'clicks',
  'Search bot hits': 'search_bot_hits',
  'Why it matters': 'why_it_matters',
  'To do': 'fix',
  Owner: 'owner',
  Definition: 'definition',
  Source: 'source',
  Name: 'issue',
} as const satisfies Readonly<Record<string, keyof ListedIssue>>;

export interface AskedWorkbook extends AskedCrawls {
  /** Only these issues; empty: all. */
  readonly issues?: readonly string[];
  /** The author's comment. */
  readonly remark?: string | undefined;
}

/** The project, the number of its sheets of pages, and sentences about cut texts and further sheets. */
interface WrittenWorkbook {
  readonly project: string;
  readonly issues: number;
  readonly notes: readonly string[];
}

/**
 * Writes a workbook of one crawl to a new file: a summary, the issues, the pages of each issue, and the redirects.
 *
 * @throws CrawlhouseError `usage` for an unknown project or crawl, or if several projects are asked for
 */
export async function writeCrawlWorkbook(
  path: string,
  warehouse: Warehouse,
  { questions, ...asked }: AskedWorkbook & { readonly questions: readonly Question[] },
  signal: AbortSignal,
): Promise<WrittenWorkbook> {
  const ask = (sql: string, parameters: ReadonlyMap<string, string | null>) =>
    rowsOf(warehouse, AnswerRow, sql, parameters, signal);
  const chosen = await chosenBy(asked, warehouse, signal);
  const reports = await readSiteReport(ask, questions, chosen);
  const named = reports.map((report) => ({ ...report, project: report.project_name ?? report.project_id }));
  const report = onlyCrawl(named);
  const [judged] = await readIssues(warehouse, { crawl: report.crawl_id }, signal);
  if (judged === undefined)
    throw new CrawlhouseError('usage', `the pages of crawl ${report.crawl_id} are not loaded`, {
      hint: 'crawlhouse run loads them',
    });
  const { issues: all } = await readIssueList(warehouse, judged, signal);
  const wanted = asked.issues ?? [];
  const issues = all.filter(({ issue }) => wanted.length === 0 || wanted.includes(issue));
  const found = issues.filter(({ pages }) => pages > 0);
  const { notes } = await writeWorkbook(path, async (workbook) => {
    await addRows(workbook, 'Summary', SUMMARY_COLUMNS, summaryRows(report, issues, asked.remark));
    const columns = Object.values(ISSUE_COLUMNS);
    await addRows(
      workbook,
      'Issues',
      Object.keys(ISSUE_COLUMNS),
      issues.map((issue) => columns.map((column) => issue[column])),
    );
    await addRedirects(workbook, warehouse, { questions, crawl: report.crawl_id }, signal);
    const { project_id: project, crawl_id: crawl } = report;
    for (const { issue, title } of found) {
      const filter = { project, crawl, issue, conditions: [], where: [], columns: [] };
      const { sql, parameters } = await pageStatement(warehouse, filter, signal);
      await addAnswer(workbook, warehouse, { name: title, sql, parameters, names: 'people' }, signal);
    }
  });
  return { project: report.project, issues: found.length, notes };
}

async function addRows(
  workbook: WorkbookWriter,
  name: string,
  columns: readonly string[],
  rows: readonly (readonly SheetCell[])[],
): Promise<void> {
  const sheet = workbook.begin(name, columns);
  await sheet.add(rows);
  await sheet.end();
}

/** Adds one row per redirecting page. Pages with the most internal links come first. */
async function addRedirects(
  workbook: WorkbookWriter,
  warehouse: Warehouse,
  { questions, crawl }: { readonly questions: readonly Question[]; readonly crawl: string },
  signal: AbortSignal,
): Promise<void> {
  const { sql, parameters } = bindQuestion(questionNamed(questions, REDIRECTS), new Map([['crawl', crawl]]));
  const name = 'Redirects to fix';
  const asked = {
    name,
    sql: `SELECT url, hop_status_code AS status_code, finding, final_url, final_status_code, hops, internal_links,
        linking_pages, sample_origin
      FROM (\n${sql}\n) AS answer
      WHERE hop = 1
      ORDER BY internal_links DESC NULLS LAST, url`,
    parameters: new Map([...parameters, ['limit', null]]),
  };
  await addAnswer(workbook, warehouse, { ...asked, names: 'people' }, signal);
}
