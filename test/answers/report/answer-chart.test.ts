import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerChart, CHART_KINDS, type ChartPoint } from '../../../src/answers/report/answer-chart.ts';
import { PAGE_STYLE } from '../../../src/core/page-style.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const names = { x: 'day', y: 'pages', colour: 'status' };
const point = (x: ChartPoint['x'], y: number | null, colour: string | null = null): ChartPoint => ({
  x,
  y,
  colour,
});

test('every kind draws numbers, times and what is missing, without styles that a page forbids', () => {
  const days = ['2026-01-01', '2026-01-02', '2026-01-03'].map((day) => new Date(day));
  for (const kind of CHART_KINDS) {
    for (const points of [
      days.map((day, index) => point(day, index * 10, `s${index}`)),
      [point(1, 5), point(2, null), point(null, 7), point(3, -2)],
      [],
    ]) {
      const { text } = answerChart(kind, points, names);
      expect(text, kind).toContain('<svg');
      expect(text, kind).not.toMatch(/<style|\sstyle=|NaN/);
    }
  }
});

test('names of the data are texts, and those beyond the colours are counted', () => {
  const bad = '<script>alert(1)</script>';
  const points = ['a', 'b', 'c', 'd', 'e', bad].map((name, index) => point(bad + index, index, name));
  for (const kind of CHART_KINDS) {
    const { text } = answerChart(kind, points, { x: bad, y: bad, colour: bad });
    expect(text, kind).not.toContain('<script');
    expect(text, kind).toContain('2 others');
  }
});

test('the colours stand out by 3:1 on the boxes of light and dark pages', () => {
  const source = readFileSync(join(ROOT, 'src', 'answers', 'report', 'palette.ts'), 'utf8');
  const colours = [...source.matchAll(/'(#[0-9a-f]{6})'/g)].map(([, colour]) => String(colour));
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
