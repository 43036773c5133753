import { loadEntries } from '../../../etl/state/catalog/ops/ops-loads.ts';
import { readIssues } from '../../answers/explore/issues/read-issues.ts';
import { WHOLE_SITE } from '../../answers/explore/page-segments.ts';
import { crawlName } from '../../answers/presentation/value-text.ts';
import { QUESTIONS } from '../../answers/report/crawl-answers.ts';
import { readKnownUnits } from '../../operations/status/remembered.ts';
import { type FigureAnswer, readFigure } from '../page-parts/answer-figure.ts';
import { NotFound, page } from '../page-parts/console-page.ts';
import { CrawlPage, CrawlRecord, NamedCrawl } from '../page-parts/crawl-document.ts';
import { drawCrawl } from '../page-parts/draw-crawl.ts';
import { readFirstThings } from '../page-parts/first-things-figure.ts';
import { type Readers, withoutModels } from '../readers/readers.ts';

/** A crawl has one unit per dataset. */
const MOST_UNITS = 200;

export const CRAWL = page<CrawlPage>({
  path: '/crawls/:crawl_id',
  summary: 'One crawl: changes since the previous crawl, issues, and units.',
  query: { tab: 'units: its units with their counts.', wait: '1: wait for every answer, even a slow one.' },
  schema: CrawlPage,
  async read({ path, query }, readers) {
    const wanted = path.crawl_id ?? '';
    const record = await recordOf(wanted, readers);
    const ask = (question: string, select: (answer: string) => string): Promise<FigureAnswer> =>
      readFigure(readers, {
        question,
        given: { crawl: wanted },
        select,
        isPatient: query.has('wait'),
        isSlow: question === QUESTIONS.funnel,
      });
    const [first, figures, changes, statuses, funnel] = await Promise.all([
      readFirstThings(readers, { crawl: wanted, ...WHOLE_SITE, isPatient: query.has('wait') }),
      ask(QUESTIONS.trend, (answer) => `SELECT * FROM ${answer}`),
      ask(QUESTIONS.changes, (answer) => `SELECT change, pages FROM ${answer} ORDER BY pages DESC, change`),
      ask(
        QUESTIONS.statuses,
        (answer) =>
          `SELECT status_code, pages, pages_percent FROM ${answer} WHERE segment IS NULL
           ORDER BY status_code, pages, pages_percent`,
      ),
      ask(
        QUESTIONS.funnel,
        (answer) =>
          `SELECT crawl_id, ended_at, known, fetched, answered_200, indexable, canonical FROM ${answer}`,
      ),
    ]);
    return {
      ...record,
      ...(await besideOf(record, readers)),
      issues: record.pages === null ? null : await issuesOf(wanted, readers),
      units: await unitsOf(wanted, readers),
      first,
      figures,
      changes,
      statuses,
      funnel,
    };
  },
  draw: (crawl, request) => ({
    title: [crawlName(crawl), crawl.project_name].filter(Boolean).join(', '),
    body: drawCrawl(crawl, request),
  }),
});

type Neighbours = 'compared' | 'before' | 'after';
/** @throws NotFound */
export async function recordOf(wanted: string, readers: Readers): Promise<CrawlRecord> {
  const [record] = await readers.rowsOnce(
    CrawlRecord,
    `SELECT crawl_id, project_id, project_name, crawl_config_id, crawl_config_name, crawl_number, status, created_at, ended_at,
       end_reason, is_complete, is_comparable, scope_note, is_main, fetched_urls, pages, previous_crawl_id
     FROM mart.crawls WHERE crawl_id = $crawl`,
    new Map([['crawl', wanted]]),
  );
  if (record === undefined)
    throw new NotFound(`There is no crawl ${wanted}. The page of its project lists its crawls.`);
  return record;
}

async function besideOf(
  { crawl_id, project_id, crawl_config_id, crawl_number, previous_crawl_id }: CrawlRecord,
  readers: Readers,
): Promise<Pick<CrawlPage, Neighbours>> {
  const rows = await readers.rowsOnce(
    NamedCrawl,
    `SELECT crawl_id, crawl_number, ended_at FROM mart.crawls
     WHERE project_id = $project AND crawl_config_id IS NOT DISTINCT FROM $config AND crawl_id <> $crawl
       AND (crawl_id = $previous OR abs(crawl_number - CAST($number AS BIGINT)) = 1)`,
    new Map([
      ...Object.entries({
        project: project_id,
        config: crawl_config_id,
        crawl: crawl_id,
        previous: previous_crawl_id,
      }),
      ['number', crawl_number === null ? null : String(crawl_number)],
    ]),
  );
  const numbered = (difference: number) =>
    rows.find((row) => Number(row.crawl_number) === Number(crawl_number) + difference) ?? null;
  return {
    compared: rows.find((row) => row.crawl_id === previous_crawl_id) ?? null,
    before: crawl_number === null ? null : numbered(-1),
    after: crawl_number === null ? null : numbered(1),
  };
}

/** Returns null in a warehouse without the models of issues. */
async function issuesOf(crawl: string, readers: Readers): Promise<CrawlPage['issues']> {
  const judged = await readers
    .readOnce(`issues of ${crawl}`, (warehouse, signal) => readIssues(warehouse, { crawl }, signal))
    .catch(withoutModels(null));
  return judged && [...(judged[0]?.issues ?? [])];
}

/** Defaults of a unit without an entry; entries of older warehouses may lack some. */
const NOT_LOADED = {
  route: null,
  reported: null,
  received: null,
  rejected: null,
  loaded: null,
  queryable: null,
};

async function unitsOf(crawl: string, readers: Readers): Promise<CrawlPage['units']> {
  const units = (await readKnownUnits(readers.settings)).filter(
    ({ source }) => source.kind === 'crawl' && source.id === crawl,
  );
  const loads = await readers.published((connection) =>
    loadEntries(connection, 'source_id', crawl, { limit: MOST_UNITS, offset: 0 }),
  );
  const byUnit = new Map((loads ?? []).map((load) => [load.unit, load]));
  const names = [...new Set([...units.map(({ unit }) => unit), ...byUnit.keys()])].sort();
  const known = new Map(units.map((unit) => [unit.unit, unit]));
  return names.map((unit) => {
    const { status = 'published', error = null } = known.get(unit) ?? {};
    const { route, reported, received, rejected, loaded, queryable } = { ...NOT_LOADED, ...byUnit.get(unit) };
    const counts = { reported, received, rejected, loaded, queryable };
    return { unit, status, error: error?.message ?? null, route, ...counts };
  });
}
