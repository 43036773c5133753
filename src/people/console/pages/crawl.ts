import { readIssues } from '../../../answers/explore/issues/read-issues.ts';
import { WHOLE_SITE } from '../../../answers/explore/segments.ts';
import { QUESTIONS } from '../../../answers/report/crawl-answers.ts';
import { readKnownUnits } from '../../../operations/status/remembered.ts';
import { crawlName } from '../../../project/model/shown/value-text.ts';
import { loadEntries } from '../../../state/catalogue/ops/ops-loads.ts';
import { type Readers, withoutModels } from '../desk/desk.ts';
import { type FigureAnswer, readFigure } from '../page-parts/answer-figure.ts';
import { CrawlPage } from '../page-parts/crawl-document.ts';
import { drawCrawl } from '../page-parts/draw-crawl.ts';
import { readFirstThings } from '../page-parts/first-things.ts';
import { NotFound, page } from '../page-parts/page.ts';

/** One crawl has a unit a dataset. */
const MOST_UNITS = 200;

export const CRAWL = page<CrawlPage>({
  path: '/crawls/:crawl_id',
  summary: 'One crawl: what changed since the previous crawl, what is wrong, its units.',
  query: {
    tab: 'units: its units with their counts.',
    wait: '1: wait for every answer, however long it takes.',
  },
  schema: CrawlPage,
  async read({ path, query }, desk) {
    const wanted = path.crawl_id ?? '';
    const record = await recordOf(wanted, desk);
    const ask = (question: string, select: (answer: string) => string): Promise<FigureAnswer> =>
      readFigure(desk, {
        question,
        given: { crawl: wanted },
        select,
        isPatient: query.has('wait'),
        isSlow: question === QUESTIONS.funnel,
      });
    const [first, figures, changes, statuses, funnel] = await Promise.all([
      readFirstThings(desk, { crawl: wanted, ...WHOLE_SITE, isPatient: query.has('wait') }),
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
      ...(await besideOf(record, desk)),
      issues: record.pages === null ? null : await issuesOf(wanted, desk),
      units: await unitsOf(wanted, desk),
      ...{ first, figures, changes, statuses, funnel },
    };
  },
  draw: (crawl, request) => ({
    title: [crawlName(crawl), crawl.project_name].filter(Boolean).join(', '),
    body: drawCrawl(crawl, request),
  }),
});

type Neighbours = 'compared' | 'before' | 'after';
type CrawlRecord = Omit<
  CrawlPage,
  Neighbours | 'issues' | 'units' | 'first' | 'figures' | 'changes' | 'statuses' | 'funnel'
>;

/** @throws NotFound */
export async function recordOf(wanted: string, desk: Readers): Promise<CrawlRecord> {
  const [record] = await desk.rowsOnce<CrawlRecord>(
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
  desk: Readers,
): Promise<Pick<CrawlPage, Neighbours>> {
  const rows = await desk.rowsOnce<NonNullable<CrawlPage['before']>>(
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
    rows.find((one) => Number(one.crawl_number) === Number(crawl_number) + difference) ?? null;
  return {
    compared: rows.find((one) => one.crawl_id === previous_crawl_id) ?? null,
    before: crawl_number === null ? null : numbered(-1),
    after: crawl_number === null ? null : numbered(1),
  };
}

/** Null in a warehouse without the models of issues. */
async function issuesOf(crawl: string, desk: Readers): Promise<CrawlPage['issues']> {
  const judged = await desk
    .readOnce(`issues of ${crawl}`, (warehouse, signal) => readIssues(warehouse, { crawl }, signal))
    .catch(withoutModels(null));
  return judged && [...(judged[0]?.issues ?? [])];
}

/** Of a unit without an entry; an entry of a warehouse of before may lack some. */
const NOT_LOADED = {
  ...{ route: null, reported: null, received: null, rejected: null, loaded: null, queryable: null },
};

async function unitsOf(crawl: string, desk: Readers): Promise<CrawlPage['units']> {
  const units = (await readKnownUnits(desk.settings)).filter(
    ({ source }) => source.kind === 'crawl' && source.id === crawl,
  );
  const loads = await desk.published((connection) =>
    loadEntries(connection, 'source_id', crawl, { limit: MOST_UNITS, offset: 0 }),
  );
  const byUnit = new Map((loads ?? []).map((one) => [one.unit, one]));
  const names = [...new Set([...units.map(({ unit }) => unit), ...byUnit.keys()])].sort();
  const known = new Map(units.map((one) => [one.unit, one]));
  return names.map((unit) => {
    const { status = 'published', error = null } = known.get(unit) ?? {};
    const { route, reported, received, rejected, loaded, queryable } = {
      ...NOT_LOADED,
      ...byUnit.get(unit),
    };
    const counts = { reported, received, rejected, loaded, queryable };
    return { unit, status, error: error?.message ?? null, route, ...counts };
  });
}
