import { cutToWidth, displayWidth, padToWidth } from '../../core/display-width.ts';
import { CrawlhouseError } from '../../core/errors.ts';
import { stringifyJson } from '../../core/json.ts';
import { visible } from '../../core/visible.ts';
import { chartColumns } from './chart-columns.ts';

export const CHARTS = ['bar', 'line'] as const;
export type Chart = (typeof CHARTS)[number];

/** More would not be seen. */
export const MOST_POINTS = 1000;
const LABEL_WIDTH = 40;
const HEIGHT = 12;
/** A bar's last piece, in eighths of a column. */
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
/** Dots of a Braille character by row and column, of 4 × 2. */
const DOTS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;
const BRAILLE = 0x2800;

type Row = Readonly<Record<string, unknown>>;

interface Point {
  readonly label: string;
  /** Null leaves a gap. */
  readonly value: number | null;
}

/**
 * Rows as a chart for a terminal; `chartColumns` says what labels them, and which number is drawn.
 *
 * @param width columns of the terminal
 * @throws CrawlhouseError `usage` for rows without a number, or with too many
 */
export function drawChart(chart: Chart, rows: readonly Row[], width: number): string {
  if (rows.length === 0) return 'no rows\n';
  if (rows.length > MOST_POINTS)
    throw new CrawlhouseError('usage', `--chart: more than ${MOST_POINTS} rows`, {
      hint: 'group them, or add a LIMIT',
    });
  const names = Object.keys(rows[0] ?? {});
  const isNumber = (name: string): boolean =>
    rows.every((row) => row[name] === null || ['number', 'bigint'].includes(typeof row[name])) &&
    rows.some((row) => row[name] !== null);
  const columns = names.map((name) => ({
    name,
    isNumber: isNumber(name),
    texts: rows.map((row) => (row[name] == null ? null : stringifyJson(row[name]))),
  }));
  const { labels, measure: value } = chartColumns(columns);
  if (value === null)
    throw new CrawlhouseError('usage', '--chart: no column of the result has numbers to draw', {
      hint: `codes, identifiers and depths only label; its columns: ${names.join(', ')}`,
    });
  const points = rows.map((row): Point => {
    const number = row[value];
    return {
      label: labelOf(labels.map((name) => row[name])),
      value: number === null ? null : Number(number),
    };
  });
  const title = labels.length === 0 ? value : `${value} by ${labels.join(', ')}`;
  return `${visible(title)}\n${chart === 'bar' ? bars(points, width) : line(points, width)}`;
}

function labelOf(values: readonly unknown[]): string {
  const width = Math.floor((LABEL_WIDTH - 3 * (values.length - 1)) / values.length);
  const texts = values.map((value) => {
    const text = typeof value === 'string' ? value : value === null ? 'NULL' : stringifyJson(value);
    return cutToWidth(visible(text.replaceAll(/\s+/g, ' ')), Math.max(8, width));
  });
  return texts.join(' · ');
}

function bars(points: readonly Point[], width: number): string {
  const labels = Math.max(...points.map(({ label }) => displayWidth(label)));
  const values = points.map(({ value }) => (value === null ? '–' : numberText(value)));
  const longest = Math.max(...values.map((text) => text.length));
  const room = Math.max(8, width - labels - longest - 3);
  // Bars of negative values go from zero to the left of it: all begin at the least value then.
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
  const marks = [numberText(most), numberText(least)];
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

function numberText(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 3 });
}
