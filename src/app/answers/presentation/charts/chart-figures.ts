import { counted } from '../../../../core/text/amounts.ts';
import { stringifyJson } from '../../../../core/text/json.ts';
import type { Chart } from '../../../../etl/project/sql/questions/question-chart.ts';
import { columnName } from '../value-text.ts';

/** Beyond this number, charts, lines or bars could not be distinguished. */
const MOST_FIGURES = 6;
const MOST_SERIES = 5;
const MOST_BARS = 20;
const BINS = 12;
/** The name of an unknown value. */
export const UNKNOWN = '–';
/** Measures whose sum has no meaning. */
const NO_SUM =
  /percent|share|ratio|rate|average|avg|mean|median|position|similarity|(^|_)(min|max|p\d+)(_|$)/;

type FigureRow = Readonly<Record<string, unknown>>;

interface FigurePoint {
  /** An ISO 8601 time, a number, or a text; null if unknown. */
  readonly x: string | number | null;
  /** Null leaves a gap. */
  readonly y: number | null;
  readonly colour: string | null;
}

export interface FigureSeries {
  /** Null for a single series. */
  readonly name: string | null;
  readonly points: readonly FigurePoint[];
}

export interface Figure {
  /** The values of `each` that distinguish it: `shop · /blog`. */
  readonly of: string;
  /** Its project by identifier or name; null if the rows of the answer contain none, or several. */
  readonly project: string | null;
  /** `pages by depth`, `sum of links by target`, `rows by reason`. */
  readonly title: string;
  readonly series: readonly FigureSeries[];
  /** `the 20 largest of 345`. */
  readonly cut: string | null;
  /** `1 crawl that is not in trends is left out`; null if nothing is left out. */
  readonly leftOut: string | null;
  /** Why there is no drawing. */
  readonly problem: string | null;
}

/**
 * Builds the charts for the rows of a result, in the same form for every interface.
 *
 * @param most maximum bars of a chart
 */
export function chartFigures(
  chart: Chart,
  rows: readonly FigureRow[],
  most = MOST_BARS,
): { figures: Figure[]; more: number } {
  const { each } = chart;
  const apart = (names: readonly string[]): number =>
    new Set(rows.map((row) => JSON.stringify(names.map((name) => textOf(row[name]))))).size;
  const named: string[] = [];
  for (const name of each) if (apart([...named, name]) > apart(named)) named.push(name);
  const groups = Map.groupBy(rows, (row) => JSON.stringify(each.map((name) => textOf(row[name]))));
  const figures = [...groups.values()]
    .slice(0, MOST_FIGURES)
    .map((of) => ({
      of: named.map((name) => nameOf(of[0]?.[name])).join(' · '),
      project: projectOf(of),
      ...shownFigure(chart, of, most),
    }));
  return { figures, more: groups.size - figures.length };
}

function projectOf(rows: readonly FigureRow[]): string | null {
  for (const column of ['project_id', 'project_name']) {
    const [project, ...others] = new Set(rows.map((row) => row[column]));
    if (others.length === 0 && typeof project === 'string') return project;
  }
  return null;
}

type Drawn = Omit<Figure, 'of' | 'project' | 'leftOut'>;
type Cut = Omit<Drawn, 'title'>;

/** Returns the figure of the rows for which `only` is true. */
function shownFigure(
  chart: Chart,
  rows: readonly FigureRow[],
  most: number,
): Drawn & Pick<Figure, 'leftOut'> {
  const { kind, only } = chart;
  const isShown = (row: FigureRow): boolean => only === null || row[only] === true;
  const shown = rows.filter(isShown);
  const drawn = figureOf(chart, shown, most);
  // A funnel shows the first row that remains.
  const read = kind === 'funnel' && shown.length > 0 ? rows.slice(0, rows.findIndex(isShown)) : rows;
  const others = read.filter((row) => !isShown(row));
  if (only === null || others.length === 0) return { ...drawn, leftOut: null };
  const [noun, count] =
    others[0]?.crawl_id === undefined
      ? ['row', others.length]
      : ['crawl', new Set(others.map(({ crawl_id }) => crawl_id)).size];
  const are = count === 1 ? 'is' : 'are';
  const why = only.startsWith('is_')
    ? `not ${only.slice(3).replaceAll('_', ' ')}`
    : `without ${wordsOf(only)}`;
  const leftOut = `${counted(count, noun)} that ${are} ${why} ${are} left out`;
  if (shown.length > 0) return { ...drawn, leftOut };
  return { ...drawn, leftOut: null, problem: `${leftOut}, and there is no other` };
}

function figureOf(chart: Chart, rows: readonly FigureRow[], most: number): Drawn {
  const { kind, x, y, colour } = chart;
  if (kind === 'funnel') return { ...funnel(chart, rows[0] ?? {}), cut: null, problem: null };
  const along = wordsOf(x ?? '');
  if (kind === 'histogram') return { title: `rows by ${along}`, ...histogram(x ?? '', rows) };
  if (kind === 'scatter')
    return { title: `${wordsOf(y[0] ?? '')} by ${along}`, ...cutSeries(scatter(chart, rows)) };
  const measures: readonly (string | null)[] = y.length === 0 ? [null] : y;
  const merged = measures.map((measure) => merge(chart, measure, rows));
  const isMerged = merged.some((one) => one.isMerged);
  const isSum = y.length > 0 && isMerged;
  const title = `${isSum ? 'sum of ' : ''}${y.map(wordsOf).join(', ') || 'rows'} by ${along}`;
  const vague = isSum ? y.find((name) => NO_SUM.test(name)) : undefined;
  if (vague !== undefined)
    return {
      title,
      series: [],
      cut: null,
      problem: `several rows have the same ${along}${colour === null ? '' : ` and ${wordsOf(colour)}`}, and ${wordsOf(vague)} cannot be added up`,
    };
  const series = merged.flatMap((one) => one.series);
  const cut = kind === 'bar' ? cutBars(series, isMerged, most) : cutSeries(series, kind === 'stacked');
  return { title, ...cut };
}

/** Merges bars and parts with the same x and color. */
function merge(
  { kind, x, y, colour }: Chart,
  measure: string | null,
  rows: readonly FigureRow[],
): { series: FigureSeries[]; isMerged: boolean } {
  let isMerged = false;
  const bySeries = Map.groupBy(rows, (row) =>
    colour === null || kind === 'bar' ? null : nameOf(row[colour]),
  );
  const series = [...bySeries].map(([name, of]): FigureSeries => {
    // A line has one point per row: two crawls may end at the same time.
    const byPlace = Map.groupBy(of, (row) => (kind === 'line' ? row : textOf(row[x ?? ''])));
    const points = [...byPlace.values()].map((same): FigurePoint => {
      isMerged ||= same.length > 1;
      const [first = {}] = same;
      const values = measure === null ? [same.length] : same.map((row) => numberOf(row[measure]));
      return {
        x: placeOf(first[x ?? '']),
        // An unknown part makes the sum unknown.
        y: values.some((value) => value === null) ? null : values.reduce<number>((a, b) => a + (b ?? 0), 0),
        colour: colour === null ? null : nameOf(first[colour]),
      };
    });
    const measured = y.length > 1 && measure !== null ? columnName(measure) : null;
    return { name: measured ?? name, points: inOrder(points) };
  });
  return { series, isMerged };
}

/** Sorts times and numbers; texts keep the order of the answer. */
function inOrder(points: readonly FigurePoint[]): readonly FigurePoint[] {
  const isOrdered = points.every(({ x }) => x === null || typeof x === 'number' || isTimeText(x));
  if (!isOrdered) return points;
  const key = ({ x }: FigurePoint): number => (typeof x === 'string' ? Date.parse(x) : (x ?? Infinity));
  return points.toSorted((a, b) => key(a) - key(b));
}

/** Sorts bars that stand for several rows. Bars for single rows keep the order of the answer. */
function cutBars([one]: readonly FigureSeries[], isMerged: boolean, most: number): Cut {
  const points = one?.points ?? [];
  const isText = points.some(({ x }) => typeof x === 'string' && !isTimeText(x));
  const isSorted = isMerged && isText;
  const size = ({ y }: FigurePoint): number => Math.abs(y ?? 0);
  const sorted = isSorted ? points.toSorted((a, b) => size(b) - size(a)) : points;
  const cut =
    sorted.length > most ? `the ${isSorted ? 'largest' : 'first'} ${most} of ${sorted.length}` : null;
  return { series: [{ name: null, points: sorted.slice(0, most) }], cut, problem: null };
}

/** @param adds whether the omitted series are summed up as one */
function cutSeries(series: readonly FigureSeries[], adds = false): Cut {
  if (series.length <= MOST_SERIES + 1) return { series, cut: null, problem: null };
  const size = ({ points }: FigureSeries): number => points.reduce((sum, { y }) => sum + Math.abs(y ?? 0), 0);
  const sorted = series.toSorted((a, b) => size(b) - size(a));
  const [shown, others] = [sorted.slice(0, MOST_SERIES), sorted.slice(MOST_SERIES)];
  if (!adds) return { series: shown, cut: `the largest ${MOST_SERIES} of ${series.length}`, problem: null };
  const rest = others.flatMap(({ points }) => points);
  const points = [...Map.groupBy(rest, ({ x }) => x)].map(([x, of]) => ({
    x,
    colour: null,
    y: of.reduce((sum, { y }) => sum + (y ?? 0), 0),
  }));
  return { series: [...shown, { name: `${others.length} others`, points }], cut: null, problem: null };
}

function funnel({ y }: Chart, row: FigureRow): Pick<Figure, 'title' | 'series'> {
  const points = y.map((name) => ({ x: columnName(name), y: numberOf(row[name]), colour: null }));
  return { title: y.map(wordsOf).join(', '), series: [{ name: null, points }] };
}

function scatter({ x, y, colour }: Chart, rows: readonly FigureRow[]): FigureSeries[] {
  const bySeries = Map.groupBy(rows, (row) => (colour === null ? null : nameOf(row[colour])));
  return [...bySeries].map(([name, of]) => ({
    name,
    points: of.map((row) => ({ x: placeOf(row[x ?? '']), y: numberOf(row[y[0] ?? '']), colour: name })),
  }));
}

/** Ranges of equal width, with their rows. */
function histogram(x: string, rows: readonly FigureRow[]): Cut {
  const places = rows.map((row) => placeOf(row[x])).filter((at) => at !== null);
  const values = places.map((at) => (typeof at === 'number' ? at : Date.parse(at)));
  const isTime = places.some((at) => typeof at === 'string');
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const wanted = (most - least) / BINS || 1;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = isTime
    ? Math.ceil(wanted / 86_400_000) * 86_400_000
    : ([1, 2, 5].find((one) => one * power >= wanted) ?? 10) * power;
  const name = (from: number): string =>
    isTime ? new Date(from).toISOString().slice(0, 10) : String(Number(from.toPrecision(12)));
  const first = Math.floor(least / step);
  const count = values.length === 0 ? 0 : Math.floor(most / step) - first + 1;
  const points = Array.from({ length: count }, (_, place) => {
    const [from, to] = [(first + place) * step, (first + place + 1) * step];
    const within = values.filter((value) => value >= from && value < to).length;
    return {
      x: step === 1 || isTime ? name(from) : `${name(from)} to < ${name(to)}`,
      y: within,
      colour: null,
    };
  });
  const unknown = rows.length - values.length;
  const all = unknown === 0 ? points : [...points, { x: '–', y: unknown, colour: null }];
  return { series: [{ name: null, points: all }], cut: null, problem: null };
}

export function isTimeText(text: string): boolean {
  return /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d|$)/.test(text);
}

function placeOf(value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return shownText(value);
  const text = stringifyJson(value);
  return Number.isNaN(Number(text)) ? text : Number(text);
}

/** Returns the number to draw. A chart may round; a table may not. */
function numberOf(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(stringifyJson(value));
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : stringifyJson(value);
}

function nameOf(value: unknown): string {
  const text = textOf(value);
  return text === null ? UNKNOWN : shownText(text);
}

/** Makes internal names such as `client_error` readable; other texts stay unchanged. */
function shownText(text: string): string {
  return /^[a-z]+(_[a-z0-9]+)+$/.test(text) ? text.replaceAll('_', ' ') : text;
}

/** Returns a column within a sentence: `crawl depth`, but `URL path`; names other than snake_case stay unchanged. */
function wordsOf(column: string): string {
  const name = columnName(column);
  return name === column ? name : name.replace(/^[A-Z](?![A-Z\d])/, (letter) => letter.toLowerCase());
}
