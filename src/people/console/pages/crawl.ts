import { z } from 'zod';
import { QUESTIONS } from '../../../answers/report/crawl-answers.ts';
import { type Html, html } from '../../../core/html.ts';
import { readKnownUnits } from '../../../operations/status/remembered.ts';
import { loadEntries } from '../../../state/catalogue/ops-loads.ts';
import type { Desk } from '../desk/desk.ts';
import { crawlLink, projectLink, unitLink } from '../layout/addresses.ts';
import { Count, countOrDash } from '../layout/counts.ts';
import { statusMark } from '../layout/status-mark.ts';
import { table } from '../layout/table.ts';
import { timeText } from '../layout/times.ts';
import { crawlButtons } from './acting.ts';
import {
  answerFigure,
  drawPending,
  FigureAnswer,
  readFigure,
  shownValue,
  signedValue,
} from './answer-figure.ts';
import { NotFound, type PageRequest, page } from './page.ts';

/** One crawl has a unit a dataset. */
const MOST_UNITS = 200;
const NOT_LOADED = 'Its pages are not loaded.';

const Crawl = z.strictObject({
  crawl_id: z.string(),
  project_id: z.string().nullable(),
  project_name: z.string().nullable(),
  crawl_config_name: z.string().nullable(),
  crawl_number: Count.nullable(),
  status: z.string().nullable(),
  created_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  end_reason: z.string().nullable(),
  is_complete: z.boolean().nullable(),
  is_main: z.boolean().nullable(),
  fetched_urls: Count.nullable(),
  pages: Count.nullable(),
  previous_crawl_id: z.string().nullable(),
  units: z.array(
    z.strictObject({
      unit: z.string(),
      status: z.string(),
      route: z.string().nullable(),
      reported: Count.nullable(),
      received: Count.nullable(),
      rejected: Count.nullable(),
      loaded: Count.nullable(),
      queryable: Count.nullable(),
      error: z.string().nullable(),
    }),
  ),
  /** Against the crawl before. */
  figures: FigureAnswer,
  changes: FigureAnswer,
  statuses: FigureAnswer,
  funnel: FigureAnswer,
});
type Crawl = z.infer<typeof Crawl>;

export const CRAWL = page<Crawl>({
  path: '/crawls/:crawl_id',
  summary: 'One crawl: its record, its units, its figures against the crawl before.',
  query: { wait: '1: wait for every answer, however long it takes.' },
  schema: Crawl,
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
    const [figures, changes, statuses, funnel] = await Promise.all([
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
          `SELECT known, fetched, answered_200, indexable, canonical, canonical_not_set FROM ${answer}`,
      ),
    ]);
    return { ...record, units: await unitsOf(wanted, desk), figures, changes, statuses, funnel };
  },
  draw: (crawl, request) => ({ title: `Crawl ${crawl.crawl_id}`, body: drawCrawl(crawl, request) }),
});

type Record = Omit<Crawl, 'units' | 'figures' | 'changes' | 'statuses' | 'funnel'>;

async function recordOf(wanted: string, desk: Desk): Promise<Record> {
  const [record] = await desk.rowsOnce(
    `SELECT crawl_id, project_id, project_name, crawl_config_name, crawl_number, status, created_at, ended_at,
       end_reason, is_complete, is_main, fetched_urls, pages, previous_crawl_id
     FROM mart.crawls WHERE crawl_id = $crawl`,
    new Map([['crawl', wanted]]),
  );
  if (record === undefined)
    throw new NotFound(`There is no crawl ${wanted}. The page of its project lists its crawls.`);
  return record as unknown as Record;
}

async function unitsOf(crawl: string, desk: Desk): Promise<Crawl['units']> {
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
    const load = byUnit.get(unit);
    const own = known.get(unit);
    return {
      unit,
      status: own?.status ?? 'published',
      error: own?.error?.message ?? null,
      route: load?.route ?? null,
      reported: load?.reported ?? null,
      received: load?.received ?? null,
      rejected: load?.rejected ?? null,
      loaded: load?.loaded ?? null,
      queryable: load?.queryable ?? null,
    };
  });
}

function drawCrawl(crawl: Crawl, { canAct }: PageRequest): Html {
  const { crawl_id, project_id, previous_crawl_id, figures, changes, statuses, funnel } = crawl;
  const number = crawl.crawl_number === null ? null : html`, number ${countOrDash(crawl.crawl_number)}`;
  return html`<h1>Crawl ${crawl_id}</h1>
<p class="facts">${project_id === null ? null : html`Project ${projectLink(project_id, crawl.project_name)}, `}configuration ${crawl.crawl_config_name ?? '–'}${number}.
Ended ${crawl.ended_at === null ? '–' : html`${timeText(crawl.ended_at)} UTC`}${crawl.end_reason === null ? null : `: ${crawl.end_reason}`}.
${crawl.pages === null ? 'Its pages are not loaded.' : `${countOrDash(crawl.pages)} pages are loaded.`}
${previous_crawl_id === null ? null : html`Before it: ${crawlLink({ crawl_id: previous_crawl_id, ended_at: null })}.`}</p>
${crawl.is_complete === false ? html`<p class="notice">This crawl is not complete: figures that need the whole website are not compared.</p>` : null}
${canAct ? crawlButtons(crawl_id, crawl.ended_at) : null}
${drawPending([figures, changes, statuses, funnel])}
<h2>Units</h2>
${unitsTable(crawl.units)}
<h2>Figures</h2>
<div class="charts">
${answerFigure('Against the crawl before', figures, { rows: figuresTable(figures), empty: NOT_LOADED })}
${answerFigure('Changes since the crawl before', changes, { empty: 'No change, or no crawl before.' })}
${answerFigure('Status codes', statuses, { empty: NOT_LOADED })}
${answerFigure('Indexability funnel', funnel, { rows: stepsTable(funnel), empty: NOT_LOADED })}
</div>
`;
}

function unitsTable(units: Crawl['units']): Html {
  return table(
    'Units',
    [
      { name: 'unit', cell: ({ unit }) => unitLink(unit) },
      { name: 'status', cell: ({ status }) => statusMark(status) },
      { name: 'route', cell: ({ route }) => route },
      { name: 'reported', isNumber: true, cell: ({ reported }) => countOrDash(reported) },
      { name: 'received', isNumber: true, cell: ({ received }) => countOrDash(received) },
      { name: 'rejected', isNumber: true, cell: ({ rejected }) => countOrDash(rejected) },
      { name: 'loaded', isNumber: true, cell: ({ loaded }) => countOrDash(loaded) },
      { name: 'queryable', isNumber: true, cell: ({ queryable }) => countOrDash(queryable) },
      { name: 'error', cell: ({ error }) => error },
    ],
    units,
    html`No unit of it is known. Run <code>crawlhouse run --crawl ID</code>.`,
  );
}

/** A line a figure: now, and the change or why there is none. */
function figuresTable({ rows }: FigureAnswer): Html {
  const [row = {}] = rows ?? [];
  const lines = Object.keys(row)
    .filter((name) => `${name}_change` in row)
    .map((name) => ({
      name: name.replaceAll('_', ' '),
      now: row[name],
      change: row[`${name}_change`],
      reason: shownValue(row[`${name}_change_reason`]),
    }));
  return table(
    'Against the crawl before',
    [
      { name: 'figure', cell: ({ name }) => name },
      { name: 'now', isNumber: true, cell: ({ now }) => shownValue(now) },
      {
        name: 'change',
        isNumber: true,
        cell: ({ change, reason }) =>
          signedValue(change) ?? (reason && html`<span class="facts">not compared: ${reason}</span>`),
      },
    ],
    lines,
    NOT_LOADED,
  );
}

function stepsTable({ rows }: FigureAnswer): Html {
  const [row] = rows ?? [];
  const lines = Object.entries(row ?? {}).map(([step, pages]) => ({
    step: step.replaceAll('_', ' '),
    pages,
  }));
  return table(
    'Indexability funnel',
    [
      { name: 'step', cell: ({ step }) => step },
      { name: 'pages', isNumber: true, cell: ({ pages }) => shownValue(pages) },
    ],
    lines,
    NOT_LOADED,
  );
}
