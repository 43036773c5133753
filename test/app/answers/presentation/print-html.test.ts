import { expect, test } from 'vitest';
import {
  type Block,
  type Cell,
  line,
  section,
  type Table,
  tableOf,
} from '../../../../src/app/answers/presentation/blocks.ts';
import { printHtml } from '../../../../src/app/answers/presentation/print-html.ts';

const print = (...blocks: readonly Block[]): string =>
  printHtml(blocks, (link) => (link.to === 'web' ? link.address : link.to === 'unit' ? null : `/${link.to}`))
    .text;
const cell = (value: Cell) =>
  /<dd>(.*)<\/dd>/s.exec(print({ is: 'facts', title: null, facts: [['n', value]] }))?.[1];

test.each([
  ['a', 'a'],
  [null, '–'],
  [['a ', { value: 'b', kind: 'code' }, { value: null }], 'a <code>b</code>unknown'],
  [{ value: 'failed', kind: 'status' }, '<span class="bad">failed</span>'],
  [{ value: 'high', kind: 'severity' }, '<span class="bad">high</span>'],
  [{ value: 'soon', kind: 'time' }, 'soon'],
  [{ value: 'old', tone: 'before' }, '<del>old</del>'],
  [{ value: 'new', tone: 'after' }, '<ins>new</ins>'],
  [{ value: 'a', tone: 'bad' }, '<span class="bad">a</span>'],
  [{ value: 'a', link: { to: 'project', project_id: 'p' } }, '<a href="/project">a</a>'],
  [{ value: 'a', link: { to: 'unit', unit: 'u' } }, 'a'],
  [{ value: 'a', link: null }, 'a'],
  [{ value: 'a', link: { to: 'web', address: 'javascript:x' } }, 'javascript:x'],
  [
    { value: 'c', link: { to: 'crawl', crawl_id: 'c', ended_at: null } },
    '<a href="/crawl" title="c">Crawl c</a>',
  ],
] as const)('the cell %j is drawn', (value, expected) => {
  expect(cell(value as Cell)).toBe(expected);
});

test('a time, a weight and a trend have their drawing', () => {
  expect(cell({ value: '2026-03-01T03:00:00Z', kind: 'time' })).toContain('>2026-03-01 03:00</time>');
  expect(cell({ value: 50, kind: 'weight', tone: 'bad' })).toMatch(/class="weight bad".*<rect width="30" /);
  expect(cell({ value: 50, kind: 'weight' })).toContain('class="weight plain"');
  const trend = { label: 'pages', values: [1, 2] };
  expect(cell({ value: 2, trend })).toMatch(/<svg.* 2$/s);
  expect(cell({ value: null, trend })).toBe('–');
});

test('optional columns without a value in any row are named below the table', () => {
  const columns = [
    { name: 'url', of: ({ url }: { url: string }) => url },
    { name: 'depth', isOptional: true, of: ({ depth }: { depth: number | null }) => depth },
    { name: 'title', of: () => null },
  ];
  const draw = (...depths: readonly (number | null)[]): string =>
    print(
      tableOf(
        'Pages',
        columns,
        depths.map((depth) => ({ url: '/a', depth })),
      ),
    );
  expect(draw(null, null)).toMatch(/>url<.*>title<.*Without a value in these rows: depth\./s);
  expect(draw(null, null)).not.toContain('>depth<');
  expect(draw(null, 0)).toContain('>depth<');
  expect(draw(null, 0)).not.toContain('Without a value');
  expect(draw()).not.toContain('Without a value');
});

test('sections, lines, notes and filters have their elements', () => {
  expect(print(section('Title', line('a'), line('b', 'good')))).toBe(
    '<h2>Title</h2>\n<p class="facts">a</p>\n<p class="well">b</p>\n',
  );
  expect(print(section(null, line('a', 'notice')))).toBe('<p class="notice">a</p>\n');
  expect(print({ is: 'facts', title: 'T', facts: [] })).toMatch(/^<h2>T<\/h2>\n<dl/);
  expect(print({ is: 'facts', title: null, facts: [] })).toMatch(/^<dl/);
  expect(print({ is: 'chosen', parts: [] })).toBe('');
  const without = { to: 'project', project_id: 'p' } as const;
  expect(print({ is: 'chosen', parts: [{ text: 'a', without }] })).toContain(
    '<a class="chip" href="/project"',
  );
  expect(print({ is: 'next', command: 'run' })).toContain('<code>crawlhouse run</code>');
  expect(print({ is: 'folded', title: 'T', blocks: [line('a')], command: 'c' })).toMatch(
    /<summary>T<\/summary><p class="facts">a/,
  );
  expect(print({ is: 'preview', address: 'u', title: { value: 't' }, text: { value: 'x' } })).toMatch(
    /<p class="facts">u<\/p>\n<p class="title">t<\/p>\n<p>x<\/p>/,
  );
});

test('a problem has its beginning, its details and what to do, if it has some', () => {
  const problem = (more: object) =>
    print({ is: 'problems', problems: [{ title: 'T', details: [], todo: null, ...more }] });
  expect(problem({})).toMatch(/^<article class="incident">\n<p><strong>T/);
  expect(problem({})).not.toMatch(/since|<ul>|To do/);
  expect(problem({ isNotice: true })).toContain('<article class="notice">');
  expect(problem({ began: null })).toContain('since an unknown time</p>');
  expect(problem({ began: '2026-03-01T03:00:00Z' })).toMatch(/since <time.* UTC<\/p>/);
  expect(problem({ details: ['a'], todo: 'b' })).toMatch(
    /<ul><li>a<\/li><\/ul>\n<p><strong>To do:<\/strong> b/,
  );
});

interface Row {
  readonly a: string | null;
  readonly n: number;
}
const table = (rows: readonly Row[], options: Parameters<typeof tableOf<Row>>[3] = {}): Table =>
  tableOf<Row>(
    'Rows',
    [
      { name: 'status_code', of: ({ a }) => a },
      { name: 'n', of: ({ n }) => n, kind: 'count' },
      { name: 'command', of: () => 'run', only: 'terminal' },
    ],
    rows,
    options,
  );
const ROW = { a: 'x', n: 1200 };

test('a table shows the columns of a browser', () => {
  const text = print(table([ROW]));
  expect(text).toContain('1,200');
  expect(text).toContain('status_code');
  expect(text).not.toMatch(/command|>run|Download all/);
  expect(print(table([ROW], { names: 'columns' }))).toContain('Status code');
  expect(print(table([], { empty: 'None.' }))).toContain('None.');
  expect(print(table([{ ...ROW, a: null }], { unknown: 'not read' }))).toContain(
    '<span class="unknown">not read</span>',
  );
  expect(print(table([{ ...ROW, a: null }]))).not.toContain('class="unknown"');
});

test('a table has a column of causes only if a row has one', () => {
  const of = ({ n }: Row) => (n > 1 ? 'because' : null);
  expect(print(table([ROW, { a: 'y', n: 1 }], { cause: { name: 'why', of } }))).toMatch(/why[\s\S]*because/);
  expect(print(table([{ a: 'y', n: 1 }], { cause: { name: 'why', of } }))).not.toContain('why');
});

test('a row is a head, opens a panel, or has lines below its first cell', () => {
  const beside = (more: object) => print(table([ROW], { beside: () => more }));
  expect(beside({ isHead: true })).toContain('<span class="head">x</span>');
  expect(beside({ below: ['more'] })).toMatch(/x\n<p>more<\/p>/);
  const open = beside({ panel: { blocks: [line('in')], isOpen: true } });
  expect(open).toMatch(
    /<details class="beside" name="Rows" open><summary>x<\/summary>\n<div[^>]*aria-label="x"/,
  );
  expect(open).toContain('<p class="facts">in</p>');
  expect(beside({ panel: { blocks: [], isOpen: false } })).toContain('name="Rows"><summary>');
  expect(beside({ panel: null })).not.toContain('<details');
});

test('rows that a table omits can be downloaded', () => {
  const rest = { total: 9, noun: 'link', first: 5, command: 'c', address: '/d?a=1' };
  const of = (more: object) => print(table([ROW], { rest: { ...rest, ...more } }));
  expect(of({})).toContain(
    '9 links, the 1 most important first. Download all: <a href="/d?a=1&amp;names=people"',
  );
  expect(of({ total: 1 })).toContain('1 link. Download all');
  for (const none of [{ total: 0 }, { address: null }]) expect(of(none)).not.toContain('Download all');
});

test('a column sorts by its head', () => {
  const link = { to: 'project', project_id: 'p' } as const;
  const sorted = (now: 'ascending' | null) =>
    print(tableOf('Rows', [{ name: 'a', of: () => 'x', sort: { link, now } }], [ROW]));
  expect(sorted('ascending')).toMatch(/aria-sort="ascending".*href="\/project"/);
  expect(sorted(null)).not.toContain('aria-sort');
});

test('a chart draws its lines by day, with the table below', () => {
  const days = tableOf<readonly [string, number | null]>(
    'Days',
    [
      { name: 'day', of: ([day]) => day },
      { name: 'hits', of: ([, hits]) => hits },
    ],
    [
      ['2026-03-01', 1],
      ['2026-03-02', null],
      ['2026-03-03', 3],
    ],
  );
  const chart = { is: 'chart', label: 'Hits', table: days, lines: ['hits'], command: 'c' } as const;
  expect(print(chart)).toMatch(/^<figure>[\s\S]*<svg[\s\S]*2026-03-03[\s\S]*<summary>The figures<\/summary>/);
  expect(print({ ...chart, table: { ...days, rows: [] } })).toBe('');
});
