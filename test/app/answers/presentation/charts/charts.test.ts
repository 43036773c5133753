import { expect, test } from 'vitest';
import { barChart, funnelChart } from '../../../../../src/app/answers/presentation/charts/bars.ts';
import { numberAxis, timeNames } from '../../../../../src/app/answers/presentation/charts/chart-words.ts';
import {
  lineChart,
  runsChart,
  stackedChart,
  statusChart,
} from '../../../../../src/app/answers/presentation/charts/charts.ts';
import { coloursOf, STATUS_RANGES } from '../../../../../src/app/answers/presentation/charts/palette.ts';
import { sparkline } from '../../../../../src/app/answers/presentation/charts/sparkline.ts';

const crawl = (day: string, pages: number | null) => ({
  ended_at: `2026-11-${day}T06:05:00.000Z`,
  crawl_id: `c${day}`,
  pages,
});
const pagesOf = { name: 'all', value: (one: { pages: number | null }) => one.pages };
const labelOf = (text: string | undefined): string =>
  /role="(?:img|group)" aria-label="([^"]*)"/.exec(text ?? '')?.[1] ?? '';

test('the label of a line shows the last value and the change, and the scale shows a loss of 17 of 12,362', () => {
  const chart = lineChart('Pages of shop', [crawl('15', 12_362), crawl('22', 12_345)], [pagesOf]);
  expect(labelOf(chart?.text)).toBe('Pages of shop: 12,345 on 2026-11-22, 17 fewer than on 2026-11-15');
  expect(chart?.text).toContain('<b>12,345</b>');
  expect(chart?.text).toContain('−17 since 2026-11-15');
  expect(chart?.text).toContain('the scale does not start at zero');
  const heights = [...String(chart?.text).matchAll(/cy="([\d.]+)" r="3\.5"/g)].map(([, at]) => Number(at));
  expect(heights).toHaveLength(2);
  expect((heights[1] ?? 0) - (heights[0] ?? 0)).toBeGreaterThan(20);
});

test('a line by day is compared with the day a week before, or with the day before if that is unknown', () => {
  const days = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, place) =>
      crawl(String(first + place).padStart(2, '0'), 100 + place ** 2),
    );
  expect(lineChart('Clicks', days(1, 9), [pagesOf])?.text).toContain('+63 since 2026-11-02');
  expect(lineChart('Clicks', days(4, 9), [pagesOf])?.text).toContain('+9 since 2026-11-08');
});

test('a scale begins at zero if values vary by half, or not at all', () => {
  for (const values of [
    [10, 100],
    [50, 50],
    [0, 0],
  ])
    expect(
      lineChart(
        'Pages',
        values.map((value, place) => crawl(`1${place}`, value)),
        [pagesOf],
      )?.text,
    ).not.toContain('does not start at zero');
});

test('each figure has a panel, an unknown value a gap, and no values no chart', () => {
  const points = [crawl('01', 5), crawl('08', null), crawl('15', 7)];
  const twice = { name: 'twice', value: (one: { pages: number | null }) => one.pages && one.pages * 2 };
  const chart = lineChart('Pages', points, [pagesOf, twice])?.text ?? '';
  expect(chart.match(/role="img"/g)).toHaveLength(2);
  expect(chart).toContain('Pages, twice: 14 on 2026-11-15, 4 more than on 2026-11-01');
  expect(chart.match(/ d="M[\d.,]+M[\d.,]+"/g)).toHaveLength(2);
  expect(lineChart('Pages', [crawl('01', null)], [pagesOf])).toBeNull();
  expect(lineChart('Pages', [crawl('01', 5)], [pagesOf])?.text).not.toMatch(/NaN|undefined|since/);
});

test('a mark with an address is a link labeled with its value; other marks are not links', () => {
  const href = ({ crawl_id }: { crawl_id: string }) => (crawl_id === 'c15' ? '/pages?crawl=c15&x="1' : null);
  const chart = lineChart('Pages', [crawl('15', 9), crawl('22', 8)], [{ ...pagesOf, href }])?.text ?? '';
  expect(chart).toContain('role="group"');
  expect(chart).toContain(
    '<a class="mark" href="/pages?crawl=c15&amp;x=&quot;1" aria-label="2026-11-15: 9">',
  );
  expect(chart.match(/<a /g)).toHaveLength(1);
  expect(chart).not.toMatch(/<style|\sstyle=|<script/);
});

test('the legend of statuses shows last values and changes that are too small for bars', () => {
  const of = (day: string, range: string, pages: number) => ({
    ended_at: `2026-11-${day}T06:05:00.000Z`,
    crawl_id: `c${day}`,
    status_code_range: range,
    pages,
    href: `/pages?status_code_range=eq:${range}`,
  });
  const points = [of('15', 'ok', 12_000), of('15', 'client_error', 3), of('22', 'ok', 12_000)];
  const chart = statusChart('Pages by status', [...points, of('22', 'client_error', 20)])?.text ?? '';
  expect(labelOf(chart)).toBe(
    'Pages by status on 2026-11-22: 2xx 12,000 (the same as on 2026-11-15), 4xx 20 (17 more than on 2026-11-15)',
  );
  expect(chart).toContain('<a href="/pages?status_code_range=eq:client_error">4xx <b>20 (+17)</b></a>');
  expect(chart).toContain('aria-label="2026-11-22, 4xx: 20"');
  expect(chart).not.toContain('5xx');
  expect(statusChart('Pages by status', [])).toBeNull();
  expect(stackedChart('Changes', [], [])).toBeNull();
});

test('a funnel shows what each step keeps, and never rounds up to 100 %', () => {
  const steps = [
    { name: 'known', value: 12_345, href: '/known' },
    { name: 'fetched', value: 12_344 },
    { name: 'indexable', value: null },
    { name: 'canonical', value: 6000 },
  ];
  const { text = '' } = funnelChart('Indexability', steps) ?? {};
  expect(text).toContain('aria-label="Indexability: 6,000 of 12,345 known are canonical, 48.6 %"');
  expect([...text.matchAll(/<td class="number">([^<]*)<\/td><\/tr>/g)].map(([, kept]) => kept)).toEqual([
    '',
    '99.9 %',
    '–',
    '–',
  ]);
  expect(text).toContain('<a href="/known">12,345</a>');
  const widths = [...text.matchAll(/width="([\d.]+)" height="10"/g)].map(([, width]) => Number(width));
  expect(widths).toEqual([100, 99.99, 0, 48.6]);
  expect(funnelChart('Indexability', [])).toBeNull();
});

test('bars of negative values extend left from zero, and small bars stay visible', () => {
  const { text = '' } =
    barChart(
      'Change',
      [-50, 50, 0, null, 0.01].map((value) => ({ name: 'a', value })),
    ) ?? {};
  const boxes = [...text.matchAll(/<rect x="([\d.]+)" width="([\d.]+)"/g)].map(([, ...one]) =>
    one.map(Number),
  );
  expect(boxes).toEqual([
    [0, 50],
    [50, 50],
    [50, 0],
    [50, 0],
    [50, 0.4],
  ]);
  expect(barChart('Change', [{ name: 'a', value: null }])).toBeNull();
});

test('a sparkline shows the last twelve values, with gaps', () => {
  const { text = '' } = sparkline([...Array.from({ length: 12 }, () => 9), 1, null, 3], 'Pages') ?? {};
  expect(text).toContain(`aria-label="Pages: ${'9, '.repeat(9)}1, unknown, 3"`);
  expect(text.match(/M/g)).toHaveLength(2);
  expect(text).not.toContain('<small>');
  const scaled = (...values: number[]): string => sparkline(values, 'Pages', true)?.text ?? '';
  expect(scaled(-2, 1234, 7)).toContain('<title>Pages: −2, 1,234, 7</title>');
  expect(scaled(-2, 1234, 7)).toContain('<small>−2 to 1,234</small>');
  expect(scaled(5, 5)).toContain('<small>5</small>');
  expect(sparkline([null], 'Pages')).toBeNull();
  expect(sparkline([5], 'Pages')?.text).not.toMatch(/NaN/);
});

test('short and long runs are drawn with a legend of their colors', () => {
  const runs = [0.1, 7300].map((seconds, place) => ({
    started_at: `2026-11-22T0${place}:00:00.000Z`,
    seconds,
    status: 'done',
  }));
  const { text = '' } = runsChart('The last runs', runs) ?? {};
  expect(text).toContain('>2 h<');
  expect(text).toContain('failed, refused');
  expect(labelOf(text)).toContain('began 2026-11-22 01:00, done: 2 h 2 min');
  expect(runsChart('The last runs', [])).toBeNull();
});

test('axis labels are shortened only if no digit is lost', () => {
  const names = (least: number, most: number, isWhole = true) => {
    const { ticks, tickFormat } = numberAxis(least, most, isWhole);
    return ticks.map(tickFormat);
  };
  expect(names(0, 12_345)).toEqual(['0', '5k', '10k']);
  expect(names(12_330, 12_370)).toEqual(['12,340', '12,360']);
  expect(names(0, 12.3, false)).toEqual(['0', '5', '10']);
  expect(names(0, 2)).toEqual(['0', '1', '2']);
  expect(names(0, 1, false)).toEqual(['0', '0.5', '1']);
  expect(names(0, 25_000_000)).toEqual(['0', '10M', '20M']);
});

test('times are labeled by day, and with the time if a day repeats', () => {
  const { full, short } = timeNames(['2026-11-15T01:00:00Z', '2026-11-22T01:00:00Z']);
  expect([full('2026-11-22T01:00:00Z'), short('2026-11-22T01:00:00Z')]).toEqual(['2026-11-22', '11-22']);
  const twice = timeNames(['2026-11-22T01:00:00Z', '2026-11-22T06:05:00Z', '2026-11-23T06:05:00Z']);
  expect(twice.short('2026-11-22T06:05:00Z')).toBe('11-22 06:05');
  const years = timeNames(['2025-11-22T01:00:00Z', '2026-11-22T01:00:00Z']);
  expect(years.short('2025-11-22T01:00:00Z')).toBe('2025-11-22');
});

test('each meaning has one color under any name, and other values have different colors', () => {
  const [ok, , client] = STATUS_RANGES.map(({ colour }) => colour);
  expect(coloursOf(['404', 'shop', 'ok'])).toEqual([client, expect.any(String), ok]);
  expect(coloursOf(['4xx'])).toEqual(coloursOf(['client_error']));
  expect(new Set(coloursOf(['high', 'medium', 'low', null])).size).toBe(4);
  expect(coloursOf(['missing', 'unseen'])).toEqual(coloursOf([null, null]));
  expect(new Set(coloursOf(['404', 'a', 'b', 'c'])).size).toBe(4);
});

test('a note within the time of a chart is a line with its text; other notes are left out', () => {
  const days = ['2026-11-01', '2026-11-08', '2026-11-15'];
  const notes = [
    { date: '2026-10-20', kind: 'migration', text: 'before it' },
    { date: '2026-11-05', kind: 'deployment', text: 'New <b>templates</b>' },
    { date: '2026-11-20', kind: 'other', text: 'after it' },
  ];
  const points = days.map((day, index) => ({ ended_at: `${day}T06:00:00Z`, pages: index }));
  const parts = days.map((day) => ({ ended_at: `${day}T06:00:00Z`, crawl_id: day, name: '2xx', value: 3 }));
  const lines = lineChart('Pages', points, [{ name: 'pages', value: ({ pages }) => pages }], notes);
  const bars = stackedChart('Pages', parts, [{ name: '2xx', colour: '#123456' }], notes);
  for (const drawn of [lines, bars]) {
    const text = drawn?.text ?? '';
    expect(text.match(/class="note"/g)).toHaveLength(1);
    expect(text).toContain('2026-11-05, deployment: New &lt;b&gt;templates&lt;/b&gt;</text>');
    expect(text).not.toMatch(/before it|after it|NaN/);
  }
});
