import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { countText } from '../../../../core/text/amounts.ts';
import { cutToWidth, displayWidth, padToWidth } from '../../../../core/text/display-width.ts';
import { stringifyJson } from '../../../../core/text/json.ts';
import { visible } from '../../../../core/text/visible.ts';
import type { Chart } from '../../../../etl/project/sql/questions/question-chart.ts';
import { plainChart } from './chart-columns.ts';
import { chartFigures, type Figure, isTimeText } from './chart-figures.ts';

/** `own`: the chart that the question declares. */
export const CHARTS = ['own', 'bar', 'line'] as const;
export type ChartName = (typeof CHARTS)[number];

/** More points would not be visible. */
export const MOST_POINTS = 1000;
const LABEL_WIDTH = 40;
const HEIGHT = 12;
/** Seconds and midnights mean nothing for a crawl. */
const MIDNIGHT = /(?<=\d)([T ]00:00)?:\d\d(\.\d+)?(Z|\+00(:00)?)?$/;
/** The last character of a bar, in eighths of a column. */
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
/** Dots of a Braille character by row and column, of 4 × 2. */
const DOTS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;
const BRAILLE = 0x2800;

type ChartRow = Readonly<Record<string, unknown>>;

interface Point {
  readonly label: string;
  /** Null leaves a gap. */
  readonly value: number | null;
}

/**
 * Draws rows as charts in a terminal.
 *
 * @param declared by the question; null: draws plain columns
 * @param width columns of the terminal
 * @throws CrawlhouseError `usage` for rows without a number, or too many rows
 */
export function drawChart(
  name: ChartName,
  rows: readonly ChartRow[],
  declared: Chart | null,
  width: number,
): string {
  if (name === 'own' && declared === null)
    throw new CrawlhouseError('usage', '--chart own: no chart is declared', {
      hint: '--chart bar plots the first numeric column against the first text column; a saved question may declare its own chart',
    });
  if (rows.length === 0) return 'no rows\n';
  if (rows.length > MOST_POINTS)
    throw new CrawlhouseError('usage', `--chart: more than ${MOST_POINTS} rows`, {
      hint: 'group the rows, or add a LIMIT',
    });
  const chart = declared ?? plainChart(columnsOf(rows));
  if (chart === null)
    throw new CrawlhouseError('usage', '--chart: the result has no number to plot by a text or time column', {
      hint: `codes, identifiers and constants are not plotted; columns of the result: ${Object.keys(rows[0] ?? {}).join(', ')}`,
    });
  if (name === 'own' && chart.kind === 'scatter')
    throw new CrawlhouseError('usage', '--chart own: a terminal cannot draw a scatter chart', {
      hint: "crawlhouse console shows the chart on the question's page",
    });
  const kind = name === 'own' ? chart.kind : name;
  const { figures, more } = chartFigures({ ...chart, kind }, rows, MOST_POINTS);
  const drawn = figures.map((figure) => drawFigure(figure, kind === 'line', width));
  return `${drawn.join('\n')}${more === 0 ? '' : `\nand ${more} more: name a project or a segment\n`}`;
}

function columnsOf(rows: readonly ChartRow[]): Parameters<typeof plainChart>[0] {
  return Object.keys(rows[0] ?? {}).map((name) => ({
    name,
    isNumber:
      rows.every((row) => row[name] === null || ['number', 'bigint'].includes(typeof row[name])) &&
      rows.some((row) => row[name] !== null),
    texts: rows.map((row) => (row[name] == null ? null : stringifyJson(row[name]))),
  }));
}

function drawFigure(
  { of, title, series, cut, leftOut, problem }: Figure,
  isLine: boolean,
  width: number,
): string {
  const head = visible([of, title, cut, leftOut].filter(Boolean).join(', '));
  if (problem !== null) return `${head}\nnot drawn: ${problem}\n`;
  const points = series.map((one) =>
    one.points.map(
      ({ x, y }): Point => ({ label: labelOf([...(isLine ? [] : [one.name]), x ?? 'NULL']), value: y }),
    ),
  );
  if (!isLine) return `${head}\n${bars(points.flat(), width)}`;
  const lines = points.map((point, place) => {
    const name = series[place]?.name;
    return `${name == null ? '' : `${visible(name)}\n`}${line(point, width)}`;
  });
  return `${head}\n${lines.join('')}`;
}

function labelOf(values: readonly (string | number | null)[]): string {
  const known = values.filter((value) => value !== null);
  const width = Math.floor((LABEL_WIDTH - 3 * (known.length - 1)) / known.length);
  const texts = known.map((value) => {
    const text = isTime(value) ? value.replace(MIDNIGHT, '').replace('T', ' ') : String(value);
    return cutToWidth(visible(text.replaceAll(/\s+/g, ' ')), Math.max(8, width));
  });
  return texts.join(' · ');
}

function isTime(value: string | number): value is string {
  return typeof value === 'string' && isTimeText(value);
}

function bars(points: readonly Point[], width: number): string {
  const labels = Math.max(...points.map(({ label }) => displayWidth(label)));
  const values = points.map(({ value }) => (value === null ? '–' : countText(value)));
  const longest = Math.max(...values.map((text) => text.length));
  const room = Math.max(8, width - labels - longest - 3);
  // Bars of negative values go left from zero, so all bars begin at the smallest value.
  const least = Math.min(0, ...points.map(({ value }) => value ?? 0));
  const most = Math.max(0, ...points.map(({ value }) => value ?? 0));
  const columns = (value: number): number => (most === least ? 0 : ((value - least) / (most - least)) * room);
  const zero = Math.round(columns(0));
  return points
    .map(({ label, value }, index) => {
      const end = value === null ? zero : columns(value);
      const bar =
        least < 0
          ? ' '.repeat(Math.min(zero, Math.round(end))) + '█'.repeat(Math.abs(Math.round(end) - zero))
          : '█'.repeat(Math.floor(end)) + EIGHTHS[Math.floor((end % 1) * 8)];
      return `${padToWidth(label, labels)}  ${bar} ${values[index]}\n`;
    })
    .join('');
}

function line(points: readonly Point[], width: number): string {
  const known = points.flatMap(({ value }) => (value === null ? [] : [value]));
  const [least, most] = [Math.min(0, ...known), Math.max(0, ...known)];
  const marks = [countText(most), countText(least)];
  const margin = Math.max(...marks.map((text) => text.length));
  const across = Math.max(8, width - margin - 3);
  const cells = Array.from({ length: HEIGHT }, () => new Uint8Array(across));
  const place = ({ value }: Point, index: number) => {
    const x = points.length === 1 ? 0 : (index / (points.length - 1)) * (across * 2 - 1);
    const share = most === least ? 0 : ((value ?? 0) - least) / (most - least);
    return { x, y: (1 - share) * (HEIGHT * 4 - 1) };
  };
  const dot = (x: number, y: number): void => {
    const [column, row] = [Math.round(x), Math.round(y)];
    const cell = cells[row >> 2];
    if (cell) cell[column >> 1] = (cell[column >> 1] ?? 0) | (DOTS[row & 3]?.[column & 1] ?? 0);
  };
  points.forEach((point, index) => {
    if (point.value === null) return;
    const to = place(point, index);
    const former = points[index - 1];
    const from = former && former.value !== null ? place(former, index - 1) : to;
    const steps = Math.max(1, Math.ceil(Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y))));
    for (let step = 0; step <= steps; step++)
      dot(from.x + ((to.x - from.x) * step) / steps, from.y + ((to.y - from.y) * step) / steps);
  });
  const drawn = cells.map((cell, row) => {
    const mark = row === 0 ? marks[0] : row === HEIGHT - 1 ? marks[1] : '';
    const text = [...cell].map((dots) => (dots === 0 ? ' ' : String.fromCodePoint(BRAILLE + dots))).join('');
    return `${(mark ?? '').padStart(margin)} │${text}`.trimEnd();
  });
  const [first, last] = [points[0]?.label ?? '', points.at(-1)?.label ?? ''];
  const between = ' '.repeat(Math.max(1, across - displayWidth(first) - displayWidth(last)));
  return `${drawn.join('\n')}\n${' '.repeat(margin)} └${'─'.repeat(across)}\n${' '.repeat(margin + 2)}${first}${points.length > 1 ? between + last : ''}\n`;
}
