import { z } from 'zod';
import { counted, countText, percentText, signedText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { type Typed, typedRows } from '../../../core/text/typed-rows.ts';
import { segmentParts } from '../../answers/explore/page-segments.ts';
import { pagesAddress } from '../../answers/explore/pages/page-filter.ts';
import { barChart } from '../../answers/presentation/charts/bars.ts';
import { type ChartNote, lineChart, stackedChart } from '../../answers/presentation/charts/charts.ts';
import { coloursOf } from '../../answers/presentation/charts/palette.ts';
import { type TableColumn, table } from '../../answers/presentation/html-table.ts';
import { projectPath, urlLink, withQuery } from '../layout/addresses.ts';
import { filterForm } from '../layout/filter-form.ts';
import { projectTabs } from '../layout/project-tabs.ts';
import { answerFigure, drawPending, type FigureAnswer, shownValue, signedValue } from './answer-figure.ts';
import { chosenSegment, DIRECTORY, segmentChoice, segmentNotice, withSegment } from './chosen-segment.ts';
import type { Demand } from './demand-document.ts';

export function drawDemand(demand: Demand, query: URLSearchParams, canUpload: boolean): Html {
  const { project_id, hits, wasted, budget, engines, ai, clicks, segments, losses, fresh } = demand;
  return html`<h1>${nameOf(demand)}</h1>
${projectTabs(project_id, 'demand', demand.has_pages)}
${choiceForm(demand, query)}
${has(demand, 'logs') && html`<p class="facts">Log files: ${daysText(demand, 'logs')}.</p>`}
${has(demand, 'search') && html`<p class="facts">Search results: ${daysText(demand, 'search')}.</p>`}
${drawPending([hits, wasted, budget, engines, ai, clicks, segments, losses, fresh])}
<h2>What bots request</h2>
${has(demand, 'logs') ? botsFigures(demand, query) : drawMissing('logs', canUpload)}
<h2>What people find</h2>
${has(demand, 'search') ? null : drawMissing('search', canUpload)}
<div class="charts">
${has(demand, 'search') ? searchFigures(demand) : null}
${
  has(demand, 'logs') || has(demand, 'search')
    ? answerFigure('New pages that bots requested and that appeared in search results', fresh, {
        empty: 'Data appears once a later crawl finds a new page.',
      })
    : null
}
</div>
`;
}

const nameOf = ({ project_id, project_name }: Demand): string => project_name ?? project_id;

type Kind = Demand['spans'][number]['kind'];

function has({ last_log_day, last_ranking_day, spans }: Demand, kind: Kind): boolean {
  const last = kind === 'logs' ? last_log_day : last_ranking_day;
  return last !== null || spans.some((span) => span.kind === kind);
}

const MISSING = {
  logs: {
    text: 'No log files are loaded, so requests by bots are unknown.',
    files: 'access logs of the web server',
    command: 'crawlhouse logs add FILE…',
  },
  search: {
    text: 'No search results are loaded for the days of the crawl, so clicks and impressions are unknown.',
    files: 'an export of Search Console or Bing Webmaster Tools',
    command: 'crawlhouse demand add FILE…',
  },
} as const;

/** One message instead of the same one in each figure. */
function drawMissing(kind: Kind, canUpload: boolean): Html {
  const { text, files, command } = MISSING[kind];
  const way = canUpload
    ? html`<a href="/uploads">Upload ${files}</a>.`
    : html`<code>${command}</code> adds ${files}.`;
  return html`<p class="empty">${text} To do: ${way}</p>`;
}

function searchFigures(demand: Demand): Html {
  const { project_id, clicks, segments, losses, notes } = demand;
  return html`${clicksFigure(nameOf(demand), clicks, notes.list)}
${answerFigure('Clicks on crawled pages by segment', segments, { rows: segmentsTable(segments) })}
${answerFigure('Pages that lost the most clicks', losses, {
  id: 'losses',
  rows: lossesTable(project_id, losses),
  empty: `None: ${LOST}.`,
})}`;
}

function botsFigures(demand: Demand, query: URLSearchParams): Html {
  const { hits, wasted, engines, ai, notes, segment } = demand;
  // With a segment, these figures cover only pages of the crawl.
  const ofPages = segment === null ? '' : ', on pages of the crawl';
  return html`<div class="charts">
${hitsFigure(nameOf(demand), hits, notes.list)}
${wastedFigure(nameOf(demand), wasted)}
${budgetFigure(demand, query)}
${answerFigure(`Search engines${ofPages}`, engines, { empty: 'No requests.' })}
${answerFigure(`Crawlers of AI services${ofPages}`, ai, { empty: 'No requests.' })}
</div>`;
}

function choiceForm(demand: Demand, query: URLSearchParams): Html | null {
  const { project_id, choices, segment, segmentation } = demand;
  const own = chosenSegment(choices, query);
  if (choices.length === 0) return null;
  const options = [...new Set(choices.map((choice) => choice.segmentation))].map((value) => {
    return { value, text: value === DIRECTORY ? 'first directory' : value };
  });
  const by = { name: 'segmentation', label: 'rows by', any: null, options };
  const isBy = segment === null && options.length > 1;
  const chosen = withSegment(query, own);
  if (isBy) chosen.set('segmentation', segmentation);
  return html`${filterForm(demandPath(project_id), chosen, [segmentChoice(choices), ...(isBy ? [by] : [])])}
${segmentNotice(own)}`;
}

const demandPath = (project: string): string => `${projectPath(project)}/demand`;

/** Returns the loaded days, and the days that the figures below sum up. */
function daysText(demand: Demand, kind: Kind): string {
  const { log_days, last_log_day, ranking_days, last_ranking_day, spans } = demand;
  const [days, last] = kind === 'logs' ? [log_days, last_log_day] : [ranking_days, last_ranking_day];
  const span = spans.find((span) => span.kind === kind);
  const loaded = last === null ? null : `${counted(days, 'day')}, the last one is ${last}`;
  if (span === undefined) return `${loaded}; none belongs to the crawl`;
  const dates = `${span.from_date} to ${span.to_date}`;
  return loaded === null ? `totals of ${dates}` : `${loaded}; figures add up ${dates}`;
}

type FigureRow = FigureAnswer['rows'][number];

const Day = z.looseObject({ day: z.string() });
type Day = Typed<typeof Day>;

function hitsFigure(project: string, answer: FigureAnswer, notes: readonly ChartNote[]): Html {
  const families = [...new Set(answer.rows.map(({ family }) => String(family)))];
  const colours = coloursOf(families);
  const entries = families.map((name, index) => ({ name, colour: colours[index] ?? '' }));
  const parts = typedRows(Day, answer.rows).map(({ day, family, hits }) => ({
    ended_at: `${day}T00:00:00Z`,
    crawl_id: '',
    name: String(family),
    value: Number(hits),
  }));
  return answerFigure('Hits of bots by day', answer, {
    chart: stackedChart(`Hits of bots of ${project}`, parts, entries, notes),
  });
}

function wastedFigure(project: string, answer: FigureAnswer): Html {
  const total = answer.rows.reduce((sum, { hits }) => sum + Number(hits), 0);
  const bars = answer.rows.map(({ waste, hits }) => {
    const share = total === 0 ? 0 : Math.round((1000 * Number(hits)) / total) / 10;
    const name = waste === 'none' ? 'no waste' : String(waste).replaceAll('_', ' ');
    return { name: `${name}, ${share} %`, value: Number(hits) };
  });
  return answerFigure(`Crawl budget: what search engines requested${spanOf(answer)}`, answer, {
    chart: barChart(`Crawl budget of ${project}`, bars),
  });
}

const spanOf = ({ rows: [first] }: FigureAnswer): string =>
  first === undefined ? '' : `, ${first.from_date} to ${first.to_date}`;

const segmentOfRow = ({ segmentation, segment }: FigureRow) =>
  segmentParts({ segmentation: String(segmentation), segment: String(segment) });

/** Hits of each segment by the state of the pages at the time of the request, with links to the pages. */
function budgetFigure({ project_id, crawl_id, budget }: Demand, query: URLSearchParams): Html {
  const { rows } = budget;
  const behind = (row: FigureRow): Html | string | null => {
    const text = shownValue(row.search_bot_hits);
    if (text === null || text === '0' || row.segment === null) return text;
    const sort = { search_bot_hits: 'gt:0', sort: 'search_bot_hits desc' };
    const href = pagesAddress(project_id, { crawl: crawl_id, ...segmentOfRow(row), ...sort });
    return html`<a href="${href}" aria-label="${text}, the requested pages">${text}</a>`;
  };
  const share = (percent: unknown): Html | null =>
    percent === null ? null : html` <small>${shownValue(percent)} %</small>`;
  const to = (row: FigureRow): string => withQuery(demandPath(project_id), query, segmentOfRow(row));
  const columns: TableColumn<FigureRow>[] = [
    {
      name: 'segment',
      cell: (row) => (row.segment ? html`<a href="${to(row)}">${String(row.segment)}</a>` : 'in no segment'),
    },
    number('hits', (row) => html`${behind(row) ?? '–'}${share(row.hits_percent)}`),
    number(
      'indexable at that time',
      (row) => html`${shownValue(row.indexable_hits) ?? '–'}${share(row.indexable_percent)}`,
    ),
    number('not indexable at that time', (row) => shownValue(row.non_indexable_hits)),
    ...(rows.every(({ untold_hits: hits }) => Number(hits ?? 1) === 0)
      ? []
      : [number('unknown', (row) => shownValue(row.untold_hits))]),
    number('not crawled', (row) => shownValue(row.uncrawled_hits)),
  ];
  const rest = restOf(rows, rows[0]?.segments, 'hits');
  return answerFigure(`Crawl budget by segment${spanOf(budget)}`, budget, {
    rows: html`${table('Crawl budget by segment', columns, rows, '')}${rest && html`<p class="facts">${rest}</p>`}`,
  });
}

function clicksFigure(project: string, answer: FigureAnswer, notes: readonly ChartNote[]): Html {
  const points = typedRows(Day, answer.rows).map((row) => {
    return { ...row, ended_at: `${row.day}T00:00:00Z` };
  });
  const series = ['clicks', 'impressions'].map((name) => {
    return { name, value: (point: Day): number => Number(point[name]) };
  });
  return answerFigure('Clicks and impressions by day', answer, {
    chart: lineChart(`Clicks and impressions of ${project}`, points, series, notes),
  });
}

function segmentsTable({ rows }: FigureAnswer): Html {
  const reasons = new Set(rows.flatMap((row) => shownValue(row.clicks_change_reason) ?? []));
  const drawn = table(
    'Clicks on crawled pages by segment',
    [
      { name: 'segment', cell: ({ segment }) => String(segment) },
      number('clicks', ({ clicks }) => shownValue(clicks)),
      number('change', (row) => signedValue(row.clicks_change)),
      number('impressions', ({ impressions }) => shownValue(impressions)),
      number('change', (row) => signedValue(row.impressions_change)),
    ],
    rows,
    '',
  );
  return html`${drawn}${reasons.size === 0 ? null : html`<p class="facts">Change unknown: ${[...reasons].join('; ')}.</p>`}`;
}

/** The definition of a loss in question 28. */
const LOST =
  'this table lists pages that had 10 clicks or more in 28 days, or on the same weekdays before a change, and lost 20 % or more';

/** Returns the note that only the first rows are shown. */
function restOf(rows: readonly FigureRow[], all: unknown, by: string): string | false {
  return (
    Number(all ?? 0) > rows.length &&
    `The first ${countText(rows.length)} of ${countText(Number(all))}, by ${by}.`
  );
}

function lossesTable(project: string, { rows }: FigureAnswer): Html {
  const texts = (value: unknown): string => (value as readonly string[]).join(', ');
  const since = (row: FigureRow): string | null =>
    row.clicks_since === null
      ? null
      : `${shownValue(row.clicks_since)} instead of ${shownValue(row.clicks_weekdays_before)}, ${row.since_from_date} to ${row.since_to_date}`;
  const losers = table(
    'Pages that lost the most clicks',
    [
      {
        name: 'page',
        cell: ({ url, moved_from: from }) =>
          html`${urlLink(project, String(url))}${texts(from) && html` <small>with the clicks of ${texts(from)}</small>`}`,
      },
      number('clicks', ({ clicks }) => shownValue(clicks)),
      number('before', (row) => shownValue(row.clicks_before)),
      number('change', ({ clicks, clicks_before }) => {
        if (clicks_before === null) return null;
        const [before, change] = [Number(clicks_before), Number(clicks) - Number(clicks_before)];
        return `${signedText(change)}${percentText(change, before)}`;
      }),
      { name: 'since a change, compared with the same weekdays before', cell: since },
      { name: 'changes that crawls found', cell: ({ changes }) => texts(changes) || 'nothing' },
    ],
    rows,
    '',
  );
  const rest = restOf(rows, rows[0]?.pages, 'clicks lost');
  return html`${losers}<p class="facts">Only ${LOST}. ${rest}</p>`;
}

const number = (name: string, cell: TableColumn<FigureRow>['cell']): TableColumn<FigureRow> => {
  return { name, isNumber: true, cell };
};
