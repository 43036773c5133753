import { z } from 'zod';
import { type Html, html } from '../../../core/text/html.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import { type Typed, typedRows } from '../../../core/text/typed-rows.ts';
import { FIELDS } from '../../answers/explore/compare/comparable-columns.ts';
import { type AddressParts, FIGURE_PAGES, pagesAddress } from '../../answers/explore/pages/page-filter.ts';
import { barChart, indexabilityFunnel } from '../../answers/presentation/charts/bars.ts';
import {
  type ChartNote,
  lineChart,
  type Series,
  StatusPoint,
  stackedChart,
  statusChart,
} from '../../answers/presentation/charts/charts.ts';
import { coloursOf } from '../../answers/presentation/charts/palette.ts';
import { columnName } from '../../answers/presentation/value-text.ts';
import { projectPath } from '../layout/addresses.ts';
import { answerFigure, type FigureAnswer, shownValue } from './answer-figure.ts';
import { type ChosenSegment, partsOfChosen } from './chosen-segment.ts';
import { firstThingsFigure } from './first-things-figure.ts';
import { drawKpis, fixedText, type Kpi, ON_PAGES, restAddress } from './kpi.ts';

/** A project with the answers to draw. */
interface ProjectFigures extends ChosenSegment {
  readonly project_id: string;
  readonly project_name: string | null;
  readonly notes: { readonly list: readonly ChartNote[] };
  /** The latest crawl; empty if none has pages. */
  readonly crawl_id: string;
  readonly crawls: readonly { readonly crawl_id: string; readonly scope_note: string | null }[];
  readonly trend: FigureAnswer;
  readonly statuses: FigureAnswer;
  readonly changes: FigureAnswer;
  readonly funnel: FigureAnswer;
  readonly depths: FigureAnswer;
  readonly findings: FigureAnswer;
  readonly clicks_before: FigureAnswer;
}

interface Charted {
  readonly name: string;
  readonly notes: readonly ChartNote[];
}

const Point = z.looseObject({ crawl_id: z.string(), ended_at: z.string() });
type Point = Typed<typeof Point>;

const MOST_FIRST = 10;

const UNKNOWN: Readonly<Record<string, string>> = {
  indexable_pages: 'unknown: the crawl does not have this field',
  error_pages: 'unknown: the crawl has no HTTP statuses',
  clicks: 'unknown: no search results for its days',
  search_bot_hits: 'unknown: no log files for its days that identify bots',
};

const CHANGES = ['added', 'removed', 'moved', 'missing', ...Object.keys(FIELDS)];

const TREND = { all: 'pages', indexable: 'indexable_pages', errors: 'error_pages' } as const;

/** Each step counts pages that passed the previous steps; a step with an unknown figure has no condition. */
const PASSED = {
  known: {},
  fetched: { fetched: 'is:true' },
  answered_200: { status_code: 'eq:200' },
  indexable: { is_indexable: 'is:true' },
  canonical: { canonical_kind: 'eq:self' },
} as const;

/** The address of the filtered pages of a crawl, within the chosen segment. */
type To = (crawl: string, parts: AddressParts) => string;

/**
 * Renders a project's top figures, first tasks and charts, each with its table and its question.
 */
export function projectFigures(project: ProjectFigures): Html {
  const { trend, statuses, changes, funnel, findings, crawl_id } = project;
  const name = project.project_name ?? project.project_id;
  const of: Charted = { name, notes: project.notes.list };
  const chosen = partsOfChosen(project);
  const to: To = (crawl, parts) => pagesAddress(project.project_id, { crawl, ...chosen, ...parts });
  return html`${drawKpis(stripOf(project, to), true)}
${firstThingsFigure(findings, {
  name,
  most: MOST_FIRST,
  judged: { project_id: project.project_id, parts: { crawl: crawl_id, ...chosen } },
  all: `${projectPath(project.project_id)}/issues`,
})}
<div class="charts">
${lines('Pages', of, trend, (one, point) => to(point.crawl_id, FIGURE_PAGES[TREND[one]]))}
${answerFigure('Pages by status', statuses, {
  chart: statusChart(
    `Pages by status of ${name}`,
    typedRows(StatusPoint, points(statuses)).map((point) => ({
      ...point,
      href: to(point.crawl_id, {
        status_code_range: point.status_code_range === null ? 'is:null' : `eq:${point.status_code_range}`,
      }),
    })),
    of.notes,
  ),
  empty: 'Status codes are unknown for this selection.',
})}
${funnelFigure(name, funnel, to)}
${changesFigure(of, changes, to)}
${depthFigure(project, (depth) => to(crawl_id, { depth }))}
${averages(of, trend)}
</div>
`;
}

/** Crawls with a known end. */
function points({ rows }: FigureAnswer): readonly Point[] {
  return typedRows(
    Point,
    rows.filter(({ ended_at }) => ended_at !== null),
  );
}

function lines(
  title: string,
  { name: project, notes }: Charted,
  answer: FigureAnswer,
  hrefOf: (name: keyof typeof TREND, point: Point) => string,
): Html {
  const series = (Object.keys(TREND) as (keyof typeof TREND)[]).map(
    (name): Series<Point> => ({ name, value: numberIn(TREND[name]), href: (point) => hrefOf(name, point) }),
  );
  return answerFigure(title, only(answer, Object.values(TREND)), {
    chart: lineChart(`${title} of ${project}`, points(answer), series, notes),
  });
}

/** Returns the answer with some of its columns, and the columns of its crawls. */
function only(answer: FigureAnswer, names: readonly string[]): FigureAnswer {
  const kept = ['crawl_id', 'ended_at', ...names];
  const rows = answer.rows.map((row) => Object.fromEntries(kept.map((name) => [name, row[name] ?? null])));
  return { ...answer, rows };
}

/** Returns the five figures of the latest crawl, with those of the previous crawls. */
function stripOf({ project_id, crawl_id, trend, segment, clicks_before }: ProjectFigures, to: To): Kpi[] {
  const now = trend.rows.find((row) => row.crawl_id === crawl_id) ?? {};
  const ended = points(trend);
  const before = ended[ended.findIndex((one) => one.crawl_id === crawl_id) - 1];
  const since = before === undefined ? null : `since ${before.ended_at.slice(0, 10)}`;
  const waits = trend.state === 'pending' ? 'is being read' : null;
  const compared = waits ?? (before === undefined ? 'no previous crawl' : 'unknown for the previous crawl');
  const figure = (name: string, days?: 'ranking' | 'log') => ({
    value: now[name] ?? null,
    change: now[`${name}_change`] ?? null,
    reason:
      waits ??
      (now[name] == null ? lookUp(UNKNOWN, name) : shownValue(now[`${name}_change_reason`])) ??
      compared,
    days:
      days === undefined
        ? since
        : now[name] == null
          ? null
          : `${now[`${days}_from_date`]} to ${now[`${days}_to_date`]}`,
    // Sums over different numbers of days are not comparable.
    trend: ended.map((one) =>
      days !== undefined && one[`${days}_days`] !== now[`${days}_days`] ? null : (one[name] ?? null),
    ),
  });
  // Crawls of the same day cover the same days, and a first crawl has none before it, so its own days show a loss.
  const [earlier] =
    segment === null && now.clicks != null && now.clicks_change == null ? clicks_before.rows : [];
  const isLike = earlier !== undefined && Number(earlier.days) === Number(now.ranking_days);
  const clicks = figure('clicks', 'ranking');
  const loss = isLike && {
    change: Number(now.clicks) - Number(earlier.clicks ?? 0),
    compared: 'compared with as many days before',
  };
  const pages = (parts: AddressParts): string => to(crawl_id, parts);
  const all = (name: string): NonNullable<Kpi['all']> | null =>
    segment === null ? { value: now[`all_${name}`], href: restAddress(crawl_id) } : null;
  const clicked = { clicks: 'gt:0', sort: 'clicks desc' };
  const hit = { search_bot_hits: 'gt:0', sort: 'search_bot_hits desc' };
  return [
    {
      name: 'Indexable',
      better: 'more',
      ...figure('indexable_pages'),
      href: pages(FIGURE_PAGES.indexable_pages),
    },
    { name: 'Errors', better: 'less', ...figure('error_pages'), href: pages(FIGURE_PAGES.error_pages) },
    {
      name: 'New findings',
      better: null,
      ...figure('new_issues'),
      reason: now.fixed_issues == null ? compared : fixedText(now),
      href: `${projectPath(project_id)}/issues?changed=1`,
    },
    {
      name: ON_PAGES.clicks,
      better: 'more',
      ...clicks,
      ...loss,
      all: all('clicks'),
      ...(loss && loss.change < 0
        ? { href: `${projectPath(project_id)}/demand`, leads: 'pages that lost the most' }
        : { href: pages(clicked), leads: 'pages with clicks' }),
    },
    {
      name: ON_PAGES.search_bot_hits,
      better: 'more',
      ...figure('search_bot_hits', 'log'),
      href: pages(hit),
      leads: 'pages that search engines requested',
      all: all('search_bot_hits'),
    },
  ];
}

const AVERAGES = { 'average depth': 'average_depth', 'average load time (ms)': 'average_load_time' } as const;

function averages({ name, notes }: Charted, answer: FigureAnswer): Html {
  const series = Object.entries(AVERAGES).map(([title, figure]) => ({
    name: title,
    value: numberIn(figure),
  }));
  return answerFigure('Depth and load time', only(answer, Object.values(AVERAGES)), {
    chart: lineChart(`Depth and load time of ${name}`, points(answer), series, notes),
  });
}

const numberIn =
  (figure: string) =>
  (point: Point): number | null =>
    point[figure] === null ? null : Number(point[figure]);

/** Returns the funnel of the last crawl in the answer. */
export function funnelFigure(
  project: string,
  funnel: FigureAnswer,
  to: (crawl: string, parts: AddressParts) => string | null,
): Html {
  const last = points(funnel).at(-1);
  const steps = Object.keys(PASSED) as (keyof typeof PASSED)[];
  return answerFigure('Indexability funnel', funnel, {
    chart: indexabilityFunnel(`Indexability funnel of ${project}`, last, (step) => {
      if (last === undefined || last[step] === null) return null;
      const passed = steps.slice(0, steps.indexOf(step) + 1).filter((step) => last[step] !== null);
      return to(last.crawl_id, Object.assign({}, ...passed.map((one) => PASSED[one])));
    }),
  });
}

function changesFigure({ name: project, notes }: Charted, changes: FigureAnswer, to: To): Html {
  const known = [...new Set([...CHANGES, ...changes.rows.map(({ change }) => String(change))])];
  const used = known.filter((name) => changes.rows.some(({ change }) => change === name));
  const colours = coloursOf(used);
  const called = (change: unknown): string => columnName(String(change));
  const entries = used.map((name, index) => ({ name: called(name), colour: colours[index] ?? '' }));
  const parts = points(changes).map(({ crawl_id, ended_at, change, pages }) => ({
    crawl_id,
    ended_at,
    name: called(change),
    value: Number(pages),
    href: to(crawl_id, { change: String(change) }),
  }));
  const named = { ...changes, rows: changes.rows.map((row) => ({ ...row, change: called(row.change) })) };
  return answerFigure('Changes since the previous crawl', named, {
    chart: stackedChart(`Changes between the crawls of ${project}`, parts, entries, notes),
    empty: 'No change, or no previous crawl.',
  });
}

/** Returns the name of a depth. "none" needs a crawl of the whole site in which other pages have a depth. */
export function depthNames({ rows }: FigureAnswer, scopeNote: string | null): (depth: unknown) => string {
  const none = scopeNote === null && rows.some(({ depth }) => depth !== null) ? 'none' : 'unknown';
  return (depth) => (depth === null ? none : String(depth));
}

function depthFigure(project: ProjectFigures, hrefOf: (depth: string) => string): Html {
  const { depths: answer, crawls, crawl_id } = project;
  const name = project.project_name ?? project.project_id;
  const note = crawls.find((crawl) => crawl.crawl_id === crawl_id)?.scope_note ?? null;
  const nameOf = depthNames(answer, note);
  const bars = (figure: 'pages' | 'average_inrank') =>
    answer.rows.map((row) => ({
      name: nameOf(row.depth),
      value: row[figure] === null ? null : Number(row[figure]),
      href: figure === 'pages' ? hrefOf(row.depth === null ? 'is:null' : `eq:${row.depth}`) : null,
    }));
  const pages = barChart(`Pages by depth of ${name}`, bars('pages'));
  const inrank = barChart(`Average inrank by depth of ${name}`, bars('average_inrank'));
  return answerFigure('Pages and average inrank by depth', answer, {
    chart: html`${pages}${inrank && html`<p><strong>Average inrank</strong></p>`}${inrank}`,
  });
}
