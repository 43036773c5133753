import type { Crawl } from '../../../client/resources/crawls.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted, countText, durationText } from '../../../core/text/amounts.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import { sqlFolders } from '../../../etl/project/sql/models/sql-folders.ts';
import { loadQuestions, type Question } from '../../../etl/project/sql/questions/questions.ts';
import type { CatalogReader } from '../../../etl/state/catalog/catalog.ts';
import type { FetchProgress } from '../../../site/crawler/progress-reporter.ts';
import { scopeLines } from '../../answers/explore/scope-lines.ts';
import {
  type Line,
  line,
  type Section,
  section,
  type Table,
  tableOf,
  type Value,
} from '../../answers/presentation/blocks.ts';
import { printBlocks } from '../../answers/presentation/print-blocks.ts';
import { openWarehouse } from '../../answers/query/open-warehouse.ts';
import {
  type AnswerRows,
  type CrawlAnswers,
  mapAnswers,
  readCrawlAnswers,
} from '../../answers/report/crawl-answers.ts';
import { firstThingsBlocks, firstThingsOf } from '../../answers/report/first-things.ts';
import type { Invocation } from '../command.ts';
import type { FirstFigures } from '../local/first-figures.ts';

interface CrawlEnd {
  readonly crawl_id: string;
  readonly end_reason: string | null;
  readonly fetched_urls: number;
  readonly last_depth: number;
}

/** The answers of the saved questions about a newly loaded crawl. */
export interface CrawlReport extends CrawlEnd, CrawlAnswers {
  /** Why the crawl does not cover the whole site; null if it does. */
  readonly scope_note: string | null;
  /** Saved questions without an answer, by the data they lack. */
  readonly more_questions: { readonly logs: readonly string[]; readonly demand: readonly string[] };
}

/** The report of a project without the shipped models or questions. */
type BareReport = CrawlEnd & Readonly<Record<Exclude<keyof CrawlReport, keyof CrawlEnd>, null>>;

export async function readCrawlReport(
  invocation: Invocation,
  settings: Settings,
  crawl: Crawl,
): Promise<CrawlReport | BareReport> {
  const end: CrawlEnd = {
    crawl_id: crawl.id,
    end_reason: crawl.end_reason ?? null,
    fetched_urls: crawl.fetched_urls ?? 0,
    last_depth: crawl.last_depth ?? 0,
  };
  try {
    return { ...end, ...(await readAnswers(invocation, settings, crawl)) };
  } catch (error) {
    const isBare = settings.shipped_models === 'none' && error instanceof CrawlhouseError;
    if (!isBare || !LACKING.includes(error.code)) throw error;
    const none = { statuses: null, funnel: null, changes: null, findings: null };
    return { ...end, scope_note: null, ...none, more_questions: null };
  }
}

/** Errors for a missing question, or for a missing model that a question reads. */
const LACKING: readonly string[] = ['usage', 'bad_query'];

async function readAnswers(
  invocation: Invocation,
  settings: Settings,
  crawl: Crawl,
): Promise<Omit<CrawlReport, keyof CrawlEnd>> {
  const questions = await loadQuestions(sqlFolders(settings));
  await using warehouse = await openWarehouse(invocation, settings);
  const answers = await readCrawlAnswers(
    (sql, parameters) => warehouse.rows(sql, invocation.signal, parameters),
    questions,
    new Map([['crawl', crawl.id]]),
  );
  return {
    scope_note: await scopeOf(warehouse, crawl.id, invocation.signal),
    ...mapAnswers(answers, (rows) => rows.map(({ crawl_id: _, ...row }) => row)),
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

async function scopeOf(warehouse: CatalogReader, crawl: string, signal: AbortSignal): Promise<string | null> {
  const sql = 'SELECT scope_note FROM mart.crawls WHERE crawl_id = $crawl';
  const [row] = await warehouse.rows(sql, signal, new Map([['crawl', crawl]]));
  return (row as { readonly scope_note: string | null } | undefined)?.scope_note ?? null;
}

/** Returns the questions that need data the project does not have. */
function moreQuestions(questions: readonly Question[], known: AnswerRows): CrawlReport['more_questions'] {
  const has = (name: string): boolean => known.some(({ kind, days }) => kind === name && Number(days) > 0);
  const that = (need: RegExp): string[] =>
    questions
      .filter(({ needs }) => Object.keys(needs).some((name) => need.test(name)))
      .map(({ name }) => name);
  return { logs: has('logs') ? [] : that(/^log/), demand: has('demand') ? [] : that(/^ranking/) };
}

/** Returns the summary of a crawl before it is loaded. */
export function describeFetched(
  { fetched_urls, last_depth, end_reason }: Crawl,
  { statuses, issues }: FirstFigures,
): string {
  const all = statuses.reduce((sum, { pages }) => sum + pages, 0);
  // Rounded half up, as in question 5.
  const percent = (pages: number): number => Math.floor((2000 * pages + all) / (2 * all)) / 10;
  const rows = statuses.map(({ status_code, pages }) => ({
    status_code,
    pages,
    pages_percent: percent(pages),
  }));
  return `\n${printBlocks([
    line(`${countText(fetched_urls ?? 0)} pages fetched, depth ${last_depth ?? 0}: ${end_reason ?? null}`),
    ...part('Statuses', answerTable(rows)),
    ...part('First issues', answerTable(issues)),
  ])}`;
}

/** Returns the answers after the crawl is loaded. */
export function describeCrawl(report: CrawlReport | BareReport): string {
  const { crawl_id } = report;
  if (report.findings === null)
    return [
      '\nNo report: it needs the shipped models and questions, and crawlhouse.yaml has shipped_models: none.\n',
      `Next: crawlhouse query "SELECT url, status_code FROM raw.crawl_pages WHERE _crawl_id = '${crawl_id}'"\n`,
    ].join('');
  const { table } = firstThingsBlocks(firstThingsOf(report.findings), crawl_id, null);
  return `\n${printBlocks([
    ...scopeLines(report.scope_note),
    ...part('What to do first', table),
    ...part('Indexability', answerTable(report.funnel)),
    ...part('Changes since the previous crawl', answerTable(report.changes)),
    { is: 'next', command: `issues --crawl ${crawl_id}` },
    ...more('access logs', report.more_questions.logs, 'logs add FILE…'),
    ...more('search data', report.more_questions.demand, 'demand add FILE…'),
  ])}`;
}

function more(what: string, questions: readonly string[], command: string): Line[] {
  if (questions.length === 0) return [];
  const numbers = questions.map((name) => name.split('_', 1)[0]).join(', ');
  const count = counted(questions.length, 'more question');
  return [line(`With ${what}, ${count} can answer (${numbers}): crawlhouse ${command}`)];
}

function answerTable(rows: AnswerRows): Table {
  const names = Object.keys(rows[0] ?? {});
  return tableOf(
    '',
    names.map((name) => ({ name, of: (row: AnswerRows[number]) => row[name] as Value })),
    rows,
  );
}

/** Empty for a table without rows. */
function part(title: string, table: Table): Section[] {
  return table.rows.length === 0 ? [] : [section(title, table)];
}

const timeText = (ms: number): string => (ms < 1000 ? `${ms} ms` : durationText(ms / 1000));

/** Returns the progress of a crawl in lines: fetched URLs and first findings; then the job of its analysis. */
export function crawlProgress(progress: FetchProgress | undefined): string {
  if (progress === undefined) return 'starting';
  const { phase, counts, depth, urls_per_second, slowest, new_pages, findings, looked, side_work, jobs } =
    progress;
  const job = jobs.findIndex(({ status }) => status === 'running');
  if (phase !== 'fetch')
    return `analysis${job < 0 ? '' : `: ${jobs[job]?.name} (${job + 1} of ${jobs.length})`}`;
  const answered = counts.fetched_2xx + counts.fetched_3xx + counts.fetched_4xx + counts.fetched_5xx;
  const others = {
    'no answer': counts.unfetched_exception,
    'blocked by robots.txt': counts.unfetched_robots_denied,
  };
  const found = findings.map(([issue, pages]) => `${issue} ${countText(pages)}`);
  return [
    [
      `${countText(answered)} pages`,
      `${urls_per_second.toFixed(1)}/s`,
      `depth ${depth}`,
      `${countText(counts.queued_urls)} left`,
      ...side_work,
    ],
    [
      ...([2, 3, 4, 5] as const).map((kind) => `${kind}xx ${countText(counts[`fetched_${kind}xx`])}`),
      ...Object.entries(others).flatMap(([name, urls]) => (urls > 0 ? [`${name} ${countText(urls)}`] : [])),
      // Also absent if an earlier build began the crawl.
      ...(new_pages == null ? [] : [`new since the previous crawl ${countText(new_pages)}`]),
    ],
    slowest === null ? [] : [`slowest ${timeText(slowest.fetch_duration ?? 0)}`, slowest.url],
    // A continued crawl does not look at its earlier pages again.
    looked === null || found.length === 0 ? found : [`of ${counted(looked, 'page')}:`, ...found],
  ]
    .filter((line) => line.length > 0)
    .map((line) => line.join('  '))
    .join('\n');
}
