import { expect, test } from 'vitest';
import {
  chartFigures,
  isTimeText,
} from '../../../../../src/app/answers/presentation/charts/chart-figures.ts';
import type { Chart } from '../../../../../src/etl/project/sql/questions/question-chart.ts';

type Row = Readonly<Record<string, unknown>>;

const BAR: Chart = { kind: 'bar', x: 'reason', y: ['pages'], colour: null, each: [], only: null };

/** The figures of a chart with changes, their points as `x y colour`. */
function drawn(changes: Partial<Chart>, rows: readonly Row[], most?: number) {
  const { figures, more } = chartFigures({ ...BAR, ...changes }, rows, most);
  const short = figures.map(({ series, ...figure }) => ({
    ...figure,
    series: series.map(({ name, points }) => [
      name,
      points.map(({ x, y, colour }) => [x, y, colour].join(' ')),
    ]),
  }));
  return { figures: short, more };
}

/** The only figure. */
function one(changes: Partial<Chart>, rows: readonly Row[], most?: number) {
  const { figures } = drawn(changes, rows, most);
  expect(figures).toHaveLength(1);
  return figures[0];
}

const FIGURE = { of: '', project: null, cut: null, leftOut: null, problem: null };

test('bars for single rows keep the order of the answer, and are cut after the first ones', () => {
  const rows = [
    { reason: 'client_error', pages: 2n, project_id: 'p' },
    { reason: null, pages: null, project_id: 'p' },
    { reason: 'Other', pages: 9, project_id: 'p' },
  ];
  const figure = { ...FIGURE, project: 'p', title: 'pages by reason' };
  expect(one({}, rows)).toEqual({ ...figure, series: [[null, ['client error 2 ', '  ', 'Other 9 ']]] });
  expect(one({}, rows, 3)).toMatchObject({ cut: null });
  expect(one({}, rows, 2)).toEqual({
    ...figure,
    cut: 'the first 2 of 3',
    series: [[null, ['client error 2 ', '  ']]],
  });
});

test('bars for several rows are added up and sorted by size; an unknown part makes the sum unknown', () => {
  const rows = [
    { reason: 'a', pages: 2 },
    { reason: 'b', pages: -3 },
    { reason: 'a', pages: 5 },
    { reason: 'c', pages: 1 },
    { reason: 'b', pages: -6 },
    { reason: 'c', pages: null },
  ];
  const title = 'sum of pages by reason';
  expect(one({}, rows)).toEqual({ ...FIGURE, title, series: [[null, ['b -9 ', 'a 7 ', 'c  ']]] });
  expect(one({}, rows, 1)).toMatchObject({ cut: 'the largest 1 of 3' });
  expect(one({ y: [] }, rows.slice(0, 4))).toEqual({
    ...FIGURE,
    title: 'rows by reason',
    series: [[null, ['a 2 ', 'b 1 ', 'c 1 ']]],
  });
});

test('bars by number or time are in their order', () => {
  const depths = [{ depth: 3 }, { depth: null }, { depth: 1 }, { depth: 3 }];
  expect(one({ x: 'depth', y: [] }, depths)).toMatchObject({ series: [[null, ['1 1 ', '3 2 ', ' 1 ']]] });
  const days = [
    { day: '2026-11-03', pages: 1 },
    { day: '2026-11-01T10:00:00Z', pages: 2 },
  ];
  expect(one({ x: 'day' }, days)).toMatchObject({
    series: [[null, ['2026-11-01T10:00:00Z 2 ', '2026-11-03 1 ']]],
  });
});

test.each(['share', 'average_time', 'p95_ms', 'position', 'max'])('%s cannot be added up', (name) => {
  const rows = [1, 2].map((value) => ({ reason: 'a', kind: 'b', [name]: value }));
  const { problem, series } = one({ y: [name] }, rows) ?? {};
  expect([problem, series]).toEqual([
    expect.stringMatching(/^several rows have the same reason, and .* cannot be added up$/),
    [],
  ]);
  expect(one({ y: [name], kind: 'stacked', colour: 'kind' }, rows)?.problem).toContain(
    'the same reason and kind, and',
  );
  expect(one({ y: [name] }, rows.slice(1))?.problem).toBeNull();
});

test('lines have one point for each row, and a series for each color or measure', () => {
  const rows = [
    { day: '2026-11-02', pages: 1, links: 5, kind: 'a' },
    { day: '2026-11-01', pages: 2, links: 6, kind: null },
    { day: '2026-11-01', pages: 3, links: 7, kind: 'a' },
  ];
  const line: Partial<Chart> = { kind: 'line', x: 'day' };
  expect(one({ ...line, colour: 'kind' }, rows)).toEqual({
    ...FIGURE,
    title: 'pages by day',
    series: [
      ['a', ['2026-11-01 3 a', '2026-11-02 1 a']],
      ['–', ['2026-11-01 2 –']],
    ],
  });
  expect(one({ ...line, y: ['pages', 'links'] }, rows)).toEqual({
    ...FIGURE,
    title: 'pages, links by day',
    series: [
      ['Pages', ['2026-11-01 2 ', '2026-11-01 3 ', '2026-11-02 1 ']],
      ['Links', ['2026-11-01 6 ', '2026-11-01 7 ', '2026-11-02 5 ']],
    ],
  });
});

test('beyond six series, the largest are drawn, and stacked ones are added up as others', () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ day: '2026-11-01', kind: `k${at}`, pages: at + 1 }));
  const names = (changes: Partial<Chart>, count: number) => {
    const figure = one({ x: 'day', colour: 'kind', ...changes }, rows(count));
    return { names: figure?.series.map(([name]) => name), cut: figure?.cut };
  };
  const six = ['k0', 'k1', 'k2', 'k3', 'k4', 'k5'];
  expect(names({ kind: 'line' }, 6)).toEqual({ names: six, cut: null });
  const largest = ['k6', 'k5', 'k4', 'k3', 'k2'];
  expect(names({ kind: 'line' }, 7)).toEqual({ names: largest, cut: 'the largest 5 of 7' });
  expect(names({ kind: 'stacked' }, 7)).toEqual({ names: [...largest, '2 others'], cut: null });
  const stacked = one({ kind: 'stacked', x: 'day', colour: 'kind' }, rows(7));
  expect(stacked?.series.at(-1)).toEqual(['2 others', ['2026-11-01 3 ']]);
});

test('a scatter has the points of each color, also without a value', () => {
  const rows = [
    { depth: 2, pages: 3, kind: 'a_b' },
    { depth: null, pages: null, kind: 'c' },
    { depth: 1, pages: 0, kind: 'a_b' },
  ];
  expect(one({ kind: 'scatter', x: 'depth', colour: 'kind' }, rows)).toEqual({
    ...FIGURE,
    title: 'pages by crawl depth',
    series: [
      ['a b', ['2 3 a b', '1 0 a b']],
      ['c', ['  c']],
    ],
  });
  expect(one({ kind: 'scatter', x: 'depth' }, rows.slice(0, 1))).toMatchObject({
    series: [[null, ['2 3 ']]],
  });
});

test('a funnel shows the steps of the first row that is drawn', () => {
  const rows = [
    { crawl_id: 'c1', is_in_trends: false, known: 1, linked: 1 },
    { crawl_id: 'c2', is_in_trends: true, known: 9, linked: null },
    { crawl_id: 'c3', is_in_trends: false, known: 2, linked: 2 },
  ];
  const funnel: Partial<Chart> = { kind: 'funnel', x: null, y: ['known', 'linked'], only: 'is_in_trends' };
  expect(one(funnel, rows)).toEqual({
    ...FIGURE,
    title: 'known, linked',
    leftOut: '1 crawl that is not in trends is left out',
    series: [[null, ['Known 9 ', 'Linked  ']]],
  });
  expect(one(funnel, rows.slice(1))).toMatchObject({ leftOut: null, problem: null });
  expect(one(funnel, [...rows.slice(0, 1), ...rows.slice(2)])).toMatchObject({
    leftOut: null,
    problem: '2 crawls that are not in trends are left out, and there is no other',
    series: [[null, ['Known  ', 'Linked  ']]],
  });
});

test('rows that are left out are counted, once for each crawl', () => {
  const row = (crawl_id: string | undefined, fine: boolean | null) => ({
    crawl_id,
    fine,
    reason: crawl_id,
    pages: 1,
  });
  const only = 'fine';
  expect(one({ only }, [row('a', true), row('b', false), row('b', null), row('c', false)])).toMatchObject({
    leftOut: '2 crawls that are without fine are left out',
    series: [[null, ['a 1 ']]],
  });
  expect(one({ only }, [row(undefined, true), row(undefined, false)])).toMatchObject({
    leftOut: '1 row that is without fine is left out',
  });
  expect(one({ only }, [row('a', true)])).toMatchObject({ leftOut: null });
});

test.each<[name: string, rows: readonly Row[], points: readonly string[]]>([
  ['no rows at all with a value', [{ n: null }], ['– 1 ']],
  ['one value', [{ n: 5 }, { n: 5 }], ['5 2 ']],
  [
    'small numbers',
    [{ n: 0 }, { n: 3 }, { n: 12 }],
    [
      '0 1 ',
      ...['1', '2'].map((n) => `${n} 0 `),
      '3 1 ',
      ...['4', '5', '6', '7', '8', '9', '10', '11'].map((n) => `${n} 0 `),
      '12 1 ',
    ],
  ],
  [
    'large numbers',
    [{ n: 10 }, { n: 250 }, { n: null }],
    [
      '0 to < 20 1 ',
      ...[20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220].map((n) => `${n} to < ${n + 20} 0 `),
      '240 to < 260 1 ',
      '– 1 ',
    ],
  ],
  [
    'days',
    [{ n: '2026-11-01T05:00:00Z' }, { n: '2026-11-03' }],
    ['2026-11-01 1 ', '2026-11-02 0 ', '2026-11-03 1 '],
  ],
])('a histogram of %s has ranges of equal width', (_name, rows, points) => {
  expect(one({ kind: 'histogram', x: 'n', y: [] }, rows)).toEqual({
    ...FIGURE,
    title: 'rows by n',
    series: [[null, points]],
  });
});

test('each project and segment has a figure, named by what distinguishes them; more than six are counted', () => {
  const rows = Array.from({ length: 7 }, (_, at) => ({
    project_id: `p${Math.floor(at / 4)}`,
    project_name: at < 4 ? 'shop' : 'blog',
    segment: `s_${at}`,
    reason: 'a',
    pages: at,
  }));
  const each = ['project_id', 'project_name', 'segment'];
  const { figures, more } = drawn({ each }, rows);
  expect([figures.map(({ of, project }) => [of, project]), more]).toEqual([
    [0, 1, 2, 3, 4, 5].map((at) => [`p${at < 4 ? 0 : 1} · s ${at}`, at < 4 ? 'p0' : 'p1']),
    1,
  ]);
  expect(drawn({ each: ['project_name'] }, rows).figures.map(({ of }) => of)).toEqual(['shop', 'blog']);
  expect(drawn({ each: ['project_name'] }, rows.slice(0, 2)).figures.map(({ of }) => of)).toEqual(['']);
  expect(drawn({}, rows).figures.map(({ project }) => project)).toEqual([null]);
  const named = rows.map(({ project_id: _, ...row }) => row).slice(0, 2);
  expect(drawn({}, named).figures.map(({ project }) => project)).toEqual(['shop']);
});

test.each([
  ['2026-11-01', true],
  ['2026-11-01T05:00', true],
  ['2026-11-01 05:00:00', true],
  ['2026-11-01x', false],
  ['20261101', false],
])('%s is a time: %s', (text, is) => {
  expect(isTimeText(text)).toBe(is);
});
