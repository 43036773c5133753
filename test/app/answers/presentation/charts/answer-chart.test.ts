import { expect, test } from 'vitest';
import { answerChart } from '../../../../../src/app/answers/presentation/charts/answer-chart.ts';
import { chartFigures } from '../../../../../src/app/answers/presentation/charts/chart-figures.ts';
import { CHART_COLOURS, PAGE_STYLE } from '../../../../../src/app/answers/presentation/page-style.ts';
import { CHART_KINDS, type Chart } from '../../../../../src/etl/project/sql/questions/question-chart.ts';

const chart: Omit<Chart, 'kind'> = { x: 'at', y: ['pages'], colour: 'status', each: [], only: null };
/** Each kind of chart that a person may choose, as its columns need it. */
const CHOICES: readonly Chart[] = CHART_KINDS.filter((kind) => kind !== 'funnel').map((kind) => ({
  ...chart,
  kind,
  ...(kind === 'histogram' && { y: [], colour: null }),
}));

function drawnText(choice: Chart, rows: readonly Readonly<Record<string, unknown>>[]): string {
  return chartFigures(choice, rows)
    .figures.map((figure) => answerChart(choice, figure)?.text ?? '')
    .join('');
}

test('every chart kind draws numbers, times and missing values, without style attributes', () => {
  const days = ['2026-01-01', '2026-01-02', '2026-01-03'];
  for (const choice of CHOICES) {
    for (const rows of [
      days.map((at, index) => ({ at, pages: index * 10, status: `s${index}` })),
      [1, 2, null, 3].map((at, index) => ({ at, pages: [5, null, 7, -2][index], status: null })),
      [],
    ]) {
      const text = drawnText(choice, rows);
      if (rows.length > 0) expect(text, choice.kind).toContain('<svg');
      expect(text, choice.kind).not.toMatch(/<style|\sstyle=|NaN|Infinity|undefined/);
    }
  }
});

test('names in the data are escaped, and values beyond the palette are counted', () => {
  const bad = '<script>alert(1)</script>';
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', bad];
  const rows = names.map((status, index) => ({ at: index, pages: 10 * index, status }));
  for (const choice of CHOICES) expect(drawnText(choice, rows), choice.kind).not.toContain('<script');
  const [line, , stacked] = CHOICES;
  expect(chartFigures(line as Chart, rows).figures[0]).toMatchObject({ cut: 'the largest 5 of 8' });
  expect(chartFigures(stacked as Chart, rows).figures[0]?.series.at(-1)).toMatchObject({ name: '3 others' });
});

test('a chart over time has a panel, and its colors match the meanings of the values', () => {
  const rows = ['15', '22'].flatMap((day) =>
    ['ok', 'client_error'].map((status) => ({ at: `2026-11-${day}T06:00:00Z`, pages: Number(day), status })),
  );
  const panels = drawnText({ ...chart, kind: 'line', colour: null, each: ['status'] }, rows);
  expect(panels).toContain('pages by at, ok: 22 on 2026-11-22, 7 more than on 2026-11-15');
  const parts = drawnText({ ...chart, kind: 'stacked' }, rows);
  expect(parts).toContain('client error <b>22 (+7)</b>');
  expect(parts).toContain('#d55e00');
});

test('colors have a contrast of 3:1 on the boxes of light and dark pages', () => {
  const colours = Object.values(CHART_COLOURS);
  expect(colours.length).toBeGreaterThanOrEqual(5);
  const [, light = '', dark = ''] = /--side: light-dark\((#\w+), (#\w+)\)/.exec(PAGE_STYLE) ?? [];
  for (const colour of colours)
    for (const box of [light, dark])
      expect(contrast(colour, box), `${colour} on ${box}`).toBeGreaterThanOrEqual(3);
});

/** As WCAG 2 has it. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test('a funnel shows what each step keeps, other bars do not', () => {
  const rows = [{ step: 'all', pages: 200 }];
  const text = (kind: Chart['kind']): string => drawnText({ ...chart, kind, x: 'step', colour: null }, rows);
  expect(text('funnel')).toContain('>kept</th>');
  expect(text('bar')).toContain('<svg');
  expect(text('bar')).not.toContain('>kept</th>');
});
