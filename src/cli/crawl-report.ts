import type { Crawl } from '../api/crawls.ts';
import type { Settings } from '../config/settings.ts';
import { countText } from '../core/amounts.ts';
import { textTable } from '../core/text-table.ts';
import { bindQuestion } from '../transform/bind-question.ts';
import { loadQuestions, questionNamed } from '../transform/questions.ts';
import { sqlFolders } from '../transform/sql-folders.ts';
import type { Invocation } from './command.ts';
import { openWarehouse } from './open-warehouse.ts';

const STATUSES = 'q05_status_codes_by_crawl';
const FUNNEL = 'q04_indexability_funnel';
const CHANGES = 'q06_page_changes_by_crawl';
const ACTIONS = 'q32_what_to_do_first';

type Rows = readonly Record<string, unknown>[];

/** What the saved questions answer about a crawl that was just loaded. */
export interface CrawlReport {
  readonly crawl_id: string;
  readonly end_reason: string | null;
  readonly fetched_urls: number;
  readonly last_depth: number;
  readonly statuses: Rows;
  readonly funnel: Rows;
  /** Nothing for the first crawl of a site. */
  readonly changes: Rows;
  /** Issues with their pages, the most severe first. */
  readonly findings: Rows;
}

export async function readCrawlReport(
  invocation: Invocation,
  settings: Settings,
  crawl: Crawl,
): Promise<CrawlReport> {
  const questions = await loadQuestions(sqlFolders(settings));
  await using warehouse = await openWarehouse(invocation, settings);
  const ask = (name: string, select: (answer: string) => string): Promise<Rows> => {
    const { sql, parameters } = bindQuestion(questionNamed(questions, name), new Map([['crawl', crawl.id]]));
    const unlimited = new Map([...parameters, ['limit', null]]);
    return warehouse.rows(select(`(\n${sql}\n) AS answer`), invocation.signal, unlimited);
  };
  return {
    crawl_id: crawl.id,
    end_reason: crawl.end_reason ?? null,
    fetched_urls: crawl.fetched_urls ?? 0,
    last_depth: crawl.last_depth ?? 0,
    statuses: await ask(
      STATUSES,
      (answer) =>
        `SELECT status_code, pages, pages_percent FROM ${answer} WHERE segment IS NULL ORDER BY ALL`,
    ),
    funnel: await ask(
      FUNNEL,
      (answer) =>
        `SELECT known, fetched, answered_200, indexable, canonical, canonical_not_set FROM ${answer}`,
    ),
    changes: await ask(
      CHANGES,
      (answer) => `SELECT change, pages FROM ${answer} ORDER BY pages DESC, change`,
    ),
    findings: await ask(
      ACTIONS,
      (
        answer,
      ) => `SELECT issue, any_value(severity) AS severity, count(*) AS pages, arg_max(url, priority) AS example
        FROM ${answer} GROUP BY issue
        ORDER BY list_position(['high', 'medium', 'low'], any_value(severity)), pages DESC, issue`,
    ),
  };
}

export function describeCrawl(report: CrawlReport): string {
  const { crawl_id, fetched_urls, last_depth, end_reason } = report;
  const actions = report.findings.reduce((sum, { pages }) => sum + Number(pages), 0);
  const next = actions === 0 ? '' : ` ${ACTIONS} -p crawl=${crawl_id} -p limit=${actions}`;
  return [
    `\n${countText(fetched_urls)} pages fetched, depth ${last_depth}: ${end_reason}\n`,
    section('Statuses', report.statuses),
    section('Indexability', report.funnel),
    section('Changes since the crawl before', report.changes),
    section('What to do first', report.findings),
    `\nNext: crawlhouse query --question${next}\n`,
  ].join('');
}

function section(title: string, rows: Rows): string {
  const [first] = rows;
  if (first === undefined) return '';
  const cells = rows.map((row) => Object.values(row) as (string | number | null)[]);
  return `\n${title}\n${textTable(Object.keys(first), cells)}`;
}
