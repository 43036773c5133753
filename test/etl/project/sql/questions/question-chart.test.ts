import { expect, test } from 'vitest';
import { chartFigures } from '../../../../../src/app/answers/presentation/charts/chart-figures.ts';
import {
  type Chart,
  ChartHeader,
  chartColumns,
  chartProblem,
} from '../../../../../src/etl/project/sql/questions/question-chart.ts';

const columns = (types: Readonly<Record<string, string>>) =>
  Object.entries(types).map(([name, type]) => ({ name, type }));

test('a header names one or more chart columns; without them there is no chart', () => {
  expect(ChartHeader.parse({ kind: 'bar', x: 'url', y: 'links', each: 'project' })).toEqual({
    kind: 'bar',
    x: 'url',
    y: ['links'],
    colour: null,
    each: ['project'],
    only: null,
  });
  for (const none of ['none', undefined]) expect(ChartHeader.parse(none)).toBeNull();
});

test.each([
  [{ kind: 'pie', x: 'a' }, 'Invalid option'],
  [{ kind: 'bar', z: 'a' }, 'Unrecognized key'],
  [{ kind: 'bar' }, 'a bar needs a column for x'],
  [{ kind: 'line', x: 'day' }, 'a line needs a column for y'],
  [{ kind: 'funnel', y: 'pages' }, 'a funnel needs its steps'],
  [{ kind: 'stacked', x: 'day', y: 'pages' }, 'a stacked chart needs a column for colour'],
  [{ kind: 'bar', x: 'day', y: ['pages', 'clicks'] }, 'a bar draws one column for y'],
  [{ kind: 'histogram', x: 'day', y: 'pages' }, 'a histogram counts rows'],
])('%o is refused: %s', (header, message) => {
  expect(ChartHeader.safeParse(header).error?.message).toContain(message);
});

test('a chart that its columns do not support is refused with the reason', () => {
  const chart: Chart = { kind: 'line', x: 'day', y: ['pages'], colour: null, each: ['project'], only: null };
  const all = { day: 'DATE', pages: 'BIGINT', project: 'VARCHAR' };
  expect(chartProblem(chart, columns(all))).toBeNull();
  expect(chartProblem({ ...chart, colour: 'gone' }, columns(all))).toBe('the result has no column gone');
  expect(chartProblem(chart, columns({ ...all, pages: 'VARCHAR' }))).toContain('pages has no numbers');
  expect(chartProblem(chart, columns({ ...all, day: 'VARCHAR' }))).toBe(
    'a line needs numbers or times for x',
  );
  expect(chartProblem({ ...chart, kind: 'bar' }, columns({ ...all, day: 'VARCHAR' }))).toBeNull();
});

test('a chart with omitted rows needs a boolean column', () => {
  const chart: Chart = { kind: 'funnel', x: null, y: ['a', 'b'], colour: null, each: [], only: 'is_whole' };
  const all = { a: 'BIGINT', b: 'BIGINT', is_whole: 'BOOLEAN', crawl_id: 'VARCHAR', url: 'VARCHAR' };
  expect(chartProblem(chart, columns(all))).toBeNull();
  expect(chartColumns(chart, columns(all))).toEqual(['a', 'b', 'is_whole', 'crawl_id']);
  expect(chartColumns({ ...chart, only: null }, columns(all))).toEqual(['a', 'b']);
  expect(chartProblem({ ...chart, only: 'gone' }, columns(all))).toBe('the result has no column gone');
  expect(chartProblem(chart, columns({ ...all, is_whole: 'VARCHAR' }))).toBe(
    'is_whole is not BOOLEAN, which only needs',
  );
});

test('a chart draws its selected rows, and shows how many others exist', () => {
  const chart: Chart = {
    kind: 'stacked',
    x: 'at',
    y: ['pages'],
    colour: 'status',
    each: ['project'],
    only: 'is_whole',
  };
  const row = (project: string, crawl_id: string, is_whole: boolean | null, status = 'ok') => ({
    project,
    crawl_id,
    is_whole,
    status,
    pages: 1,
    at: `2026-11-0${crawl_id.slice(1)}`,
  });
  const rows = [
    row('a', 'c1', true),
    row('a', 'c2', false),
    row('a', 'c2', false, 'error'),
    row('b', 'c3', true),
    row('c', 'c4', false),
    row('c', 'c5', null),
  ];
  const found = (of: Chart, given: readonly object[]) =>
    chartFigures(of, given as typeof rows).figures.map((one) => [
      one.of,
      one.series.flatMap(({ points }) => points.map(({ x }) => x)),
      one.leftOut,
      one.problem,
    ]);
  expect(found(chart, rows)).toEqual([
    ['a', ['2026-11-01'], '1 crawl that is not whole is left out', null],
    ['b', ['2026-11-03'], null, null],
    ['c', [], null, '2 crawls that are not whole are left out, and there is no other'],
  ]);
  const nameless = rows.slice(0, 3).map(({ crawl_id: _, ...others }) => others);
  expect(found(chart, nameless)[0]?.[2]).toBe('2 rows that are not whole are left out');
  expect(found({ ...chart, only: null }, rows)[0]).toEqual([
    'a',
    ['2026-11-01', '2026-11-02', '2026-11-02'],
    null,
    null,
  ]);
  const funnel: Chart = { ...chart, kind: 'funnel', y: ['known', 'fetched'], each: [] };
  const steps = [false, true, false].map((is_whole, place) => ({
    crawl_id: `c${place}`,
    is_whole,
    known: place,
    fetched: place,
  }));
  const [drawn] = chartFigures(funnel, steps).figures;
  expect([drawn?.series[0]?.points[0]?.y, drawn?.leftOut]).toEqual([
    1,
    '1 crawl that is not whole is left out',
  ]);
});

test('projects never share a chart, and its name contains only distinguishing columns', () => {
  const chart: Chart = {
    kind: 'bar',
    x: 'reason',
    y: [],
    colour: null,
    each: ['project', 'crawl_id', 'kind'],
    only: null,
  };
  const row = (project: string, crawl_id: string, reason: string) => ({
    project,
    crawl_id,
    reason,
    kind: 'main',
  });
  const rows = [row('a', 'c1', 'x'), row('b', 'c2', 'y'), row('a', 'c1', 'z'), row('a', 'c1', 'z')];
  const { figures, more } = chartFigures(chart, rows);
  expect(
    figures.map(({ of, title, series }) => [of, title, series[0]?.points.map(({ x, y }) => [x, y])]),
  ).toEqual([
    [
      'a',
      'rows by reason',
      [
        ['z', 2],
        ['x', 1],
      ],
    ],
    ['b', 'rows by reason', [['y', 1]]],
  ]);
  expect(more).toBe(0);
  const many = chartFigures(
    chart,
    Array.from({ length: 9 }, (_, place) => row(`p${place}`, 'c', 'x')),
  );
  expect([many.figures.length, many.more]).toEqual([6, 3]);
});

test('values with the same bar are summed if a sum is meaningful, and an unknown value makes the sum unknown', () => {
  const chart: Chart = { kind: 'bar', x: 'target', y: ['links'], colour: null, each: [], only: null };
  const rows = [
    { target: '/a', links: 2n, average_position: 1 },
    { target: '/a', links: 3, average_position: 3 },
    { target: '/b', links: null, average_position: 9 },
    { target: '/b', links: 4, average_position: 2 },
  ];
  expect(chartFigures(chart, rows).figures[0]).toMatchObject({
    title: 'sum of links by target',
    series: [
      {
        points: [
          { x: '/a', y: 5 },
          { x: '/b', y: null },
        ],
      },
    ],
  });
  expect(chartFigures({ ...chart, y: ['average_position'] }, rows).figures[0]?.problem).toBe(
    'several rows have the same target, and position cannot be added up',
  );
});

test('columns have the same names as on other screens, in titles and legends', () => {
  const rows = [{ depth: 1, is_indexable: 1, nb_inlinks: 2, h1: 3, 'My Links': 4 }];
  const titled = (y: string[]) => {
    const chart: Chart = { kind: 'line', x: 'depth', y, colour: null, each: [], only: null };
    const [figure] = chartFigures(chart, rows).figures;
    return [figure?.title, figure?.series.map(({ name }) => name)];
  };
  expect(titled(['is_indexable', 'nb_inlinks'])).toEqual([
    'indexability, inlinks by crawl depth',
    ['Indexability', 'Inlinks'],
  ]);
  expect(titled(['h1', 'My Links'])).toEqual(['H1, My Links by crawl depth', ['H1', 'My Links']]);
});

test('a histogram counts rows in equal ranges, and rows without a value separately', () => {
  const chart: Chart = { kind: 'histogram', x: 'days', y: [], colour: null, each: [], only: null };
  const rows = [0, 1, 9, 10, 59, null].map((days) => ({ days }));
  const points = chartFigures(chart, rows).figures[0]?.series[0]?.points ?? [];
  expect(points.map(({ x, y }) => [x, y]).filter(([, y]) => y !== 0)).toEqual([
    ['0 to < 5', 2],
    ['5 to < 10', 1],
    ['10 to < 15', 1],
    ['55 to < 60', 1],
    ['–', 1],
  ]);
  const days = ['2026-11-01', '2026-11-03'].map((at) => ({ days: at }));
  expect(chartFigures(chart, days).figures[0]?.series[0]?.points.map(({ x, y }) => [x, y])).toEqual([
    ['2026-11-01', 1],
    ['2026-11-02', 0],
    ['2026-11-03', 1],
  ]);
});
