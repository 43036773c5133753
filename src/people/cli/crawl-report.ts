import { openWarehouse } from '../../answers/query/open-warehouse.ts';
import {
  type CrawlAnswers,
  QUESTIONS,
  type Rows,
  readCrawlAnswers,
} from '../../answers/report/crawl-answers.ts';
import { counted, countText } from '../../core/amounts.ts';
import { textTable } from '../../core/text-table.ts';
import { loadQuestions, type Question } from '../../pipeline/transform/questions/questions.ts';
import type { Settings } from '../../project/settings/settings.ts';
import { sqlFolders } from '../../project/sql/models/sql-folders.ts';
import type { Crawl } from '../../service/api/crawls.ts';
import type { Invocation } from './command.ts';

/** The answers of the saved questions about a crawl that was just loaded. */
export interface CrawlReport extends CrawlAnswers {
  readonly crawl_id: string;
  readonly end_reason: string | null;
  readonly fetched_urls: number;
  readonly last_depth: number;
  /** Saved questions that have no answer yet, by what they lack. */
  readonly more_questions: { readonly logs: readonly string[]; readonly demand: readonly string[] };
}

export async function readCrawlReport(
  invocation: Invocation,
  settings: Settings,
  crawl: Crawl,
): Promise<CrawlReport> {
  const questions = await loadQuestions(sqlFolders(settings));
  await using warehouse = await openWarehouse(invocation, settings);
  const answers = await readCrawlAnswers(
    (sql, parameters) => warehouse.rows(sql, invocation.signal, parameters),
    questions,
    new Map([['crawl', crawl.id]]),
  );
  const own = (rows: Rows): Rows => rows.map(({ crawl_id: _, ...row }) => row);
  return {
    crawl_id: crawl.id,
    end_reason: crawl.end_reason ?? null,
    fetched_urls: crawl.fetched_urls ?? 0,
    last_depth: crawl.last_depth ?? 0,
    statuses: own(answers.statuses),
    funnel: own(answers.funnel),
    changes: own(answers.changes),
    findings: own(answers.findings),
    more_questions: moreQuestions(
      questions,
      await warehouse.rows(
        `SELECT 'logs' AS kind, count(*) AS days FROM mart.log_days WHERE project_id = $project
          UNION ALL
          SELECT 'demand', count(*) FROM mart.ranking_performance WHERE project_id = $project
          UNION ALL
          SELECT 'demand', count(*) FROM mart.ranking_periods WHERE project_id = $project`,
        invocation.signal,
        new Map([['project', crawl.project_id]]),
      ),
    ),
  };
}

/** The questions that need what a project does not have. */
function moreQuestions(questions: readonly Question[], known: Rows): CrawlReport['more_questions'] {
  const has = (name: string): boolean => known.some(({ kind, days }) => kind === name && Number(days) > 0);
  const that = (need: RegExp): string[] =>
    questions
      .filter(({ needs }) => Object.keys(needs).some((name) => need.test(name)))
      .map(({ name }) => name);
  return {
    logs: has('logs') ? [] : that(/^log/),
    demand: has('demand') ? [] : that(/^ranking/),
  };
}

export function describeCrawl(report: CrawlReport): string {
  const { crawl_id, fetched_urls, last_depth, end_reason } = report;
  const actions = report.findings.reduce((sum, { pages }) => sum + Number(pages), 0);
  // Question 32 is of latest crawls, and a crawl that was stopped may be none.
  const next =
    actions === 0
      ? `issues --crawl ${crawl_id}`
      : `query --question ${QUESTIONS.findings} -p crawl=${crawl_id} -p limit=${actions}`;
  return [
    `\n${countText(fetched_urls)} pages fetched, depth ${last_depth}: ${end_reason}\n`,
    section('Statuses', report.statuses),
    section('Indexability', report.funnel),
    section('Changes since the crawl before', report.changes),
    section('What to do first', report.findings),
    `\nNext: crawlhouse ${next}\n`,
    more('access logs', report.more_questions.logs, 'logs add FILE…'),
    more('search data', report.more_questions.demand, 'demand add FILE…'),
  ].join('');
}

function more(what: string, questions: readonly string[], command: string): string {
  if (questions.length === 0) return '';
  const numbers = questions.map((name) => name.split('_', 1)[0]).join(', ');
  return `With ${what}, ${counted(questions.length, 'more question')} can answer (${numbers}): crawlhouse ${command}\n`;
}

function section(title: string, rows: Rows): string {
  const [first] = rows;
  if (first === undefined) return '';
  const cells = rows.map((row) => Object.values(row) as (string | number | null)[]);
  return `\n${title}\n${textTable(Object.keys(first), cells)}`;
}
