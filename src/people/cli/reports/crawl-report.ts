import { scopeLines } from '../../../answers/explore/scope-lines.ts';
import { openWarehouse } from '../../../answers/query/open-warehouse.ts';
import {
  type AnswerRows,
  type CrawlAnswers,
  mapAnswers,
  readCrawlAnswers,
} from '../../../answers/report/crawl-answers.ts';
import { firstThingsBlocks, firstThingsOf } from '../../../answers/report/first-things.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted, countText, durationText } from '../../../core/text/amounts.ts';
import { loadQuestions, type Question } from '../../../pipeline/transform/questions/questions.ts';
import {
  type Line,
  line,
  type Section,
  section,
  type Table,
  tableOf,
  type Value,
} from '../../../project/model/shown/blocks.ts';
import type { Settings } from '../../../project/settings/settings.ts';
import { sqlFolders } from '../../../project/sql/models/sql-folders.ts';
import type { Crawl } from '../../../service/api/resources/crawls.ts';
import type { FetchProgress } from '../../../service/site/crawler/crawl-progress.ts';
import type { CatalogReader } from '../../../state/catalogue/catalog.ts';
import type { Invocation } from '../command.ts';
import type { FirstFigures } from '../local/first-figures.ts';
import { printBlocks } from './print-blocks.ts';

interface CrawlEnd {
  readonly crawl_id: string;
  readonly end_reason: string | null;
  readonly fetched_urls: number;
  readonly last_depth: number;
}

/** The answers of the saved questions about a crawl that was just loaded. */
export interface CrawlReport extends CrawlEnd, CrawlAnswers {
  /** Why the crawl does not cover the whole site; null where it does. */
  readonly scope_note: string | null;
  /** Saved questions that have no answer yet, by what they lack. */
  readonly more_questions: { readonly logs: readonly string[]; readonly demand: readonly string[] };
}

/** As it is in a project that does without the models or questions that ship. */
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

/** A question that is not there, or a model that one reads. */
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

/** The questions that need what a project does not have. */
function moreQuestions(questions: readonly Question[], known: AnswerRows): CrawlReport['more_questions'] {
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

/** What is known of a crawl before it is loaded. */
export function describeFetched(
  { fetched_urls, last_depth, end_reason }: Crawl,
  { statuses, issues }: FirstFigures,
): string {
  const all = statuses.reduce((sum, { pages }) => sum + pages, 0);
  // Rounded half up, as question 5 does.
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

/** The answers that follow once it is loaded. */
export function describeCrawl(report: CrawlReport | BareReport): string {
  const { crawl_id } = report;
  if (report.findings === null)
    return [
      '\nNo report: it needs models and questions that ship, and crawlhouse.yaml has shipped_models: none.\n',
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

/** The rows of an answer under the names of their columns. */
function answerTable(rows: AnswerRows): Table {
  const names = Object.keys(rows[0] ?? {});
  return tableOf(
    '',
    names.map((name) => ({ name, of: (row: AnswerRows[number]) => row[name] as Value })),
    rows,
  );
}

/** Nothing for a table without rows. */
function part(title: string, table: Table): Section[] {
  return table.rows.length === 0 ? [] : [section(title, table)];
}

const timeText = (ms: number): string => (ms < 1000 ? `${ms} ms` : durationText(ms / 1000));

/** How far a crawl is, in lines: what it has fetched so far and what that shows; then the job of its analysis. */
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
    'robots.txt denies': counts.unfetched_robots_denied,
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
      // Absent too: an earlier build has begun the crawl.
      ...(new_pages == null ? [] : [`new since the crawl before ${countText(new_pages)}`]),
    ],
    slowest === null ? [] : [`slowest ${timeText(slowest.fetch_duration ?? 0)}`, slowest.url],
    // A crawl that goes on does not look at its earlier pages again.
    looked === null || found.length === 0 ? found : [`of ${counted(looked, 'page')}:`, ...found],
  ]
    .filter((line) => line.length > 0)
    .map((line) => line.join('  '))
    .join('\n');
}
