import { expect, test } from 'vitest';
import type { Dictionary, DictionaryTable } from '../../../../src/app/answers/dictionary/dictionary.ts';
import { renderDictionaryPage } from '../../../../src/app/answers/dictionary/dictionary-page.ts';
import { renderSite } from '../../../../src/app/answers/dictionary/dictionary-site.ts';

const table = (name: string, more: Partial<DictionaryTable> = {}): DictionaryTable => ({
  ...{ name, kind: 'view', description: null, grain: null, columns: [], reads: [], tests: [] },
  ...{ sql: null, file: null, rows: null, ...more },
});
const column = (name: string, sources: readonly string[] = []) => {
  return { name, type: 'VARCHAR', description: `The ${name}, as in raw.a.url.`, sources };
};
const TABLES = [
  table('mart.b', {
    description: 'Rows of `SELECT 1` in raw.a and raw.gone. More.',
    ...{ kind: 'table', grain: ['crawl_id', 'url'], reads: ['raw.a', 'raw.gone'], rows: 1 },
    columns: [column('crawl_id', ['raw.a.url']), column('Odd "name"')],
    tests: [
      { name: 'unique', severity: 'error', status: 'failed', failures: 3, testedAt: '2026-03-01' },
      { name: 'not_null', severity: 'warn', status: null, failures: null, testedAt: null },
      { name: 'fits', severity: 'warn', status: 'passed', failures: 0, testedAt: '2026-03-01' },
    ],
    ...{ sql: 'SELECT <1>', file: 'sql/b.sql' },
  }),
  table('ops.runs', { kind: 'operations', rows: 1200 }),
  table('raw.a', { kind: 'source', columns: [column('url')], sql: 'SELECT 2' }),
];
const question = (name: string, parameters: object[]) => {
  return {
    name,
    title: `Title of ${name}`,
    description: 'See mart.b.',
    sql: 'SELECT 3',
    reads: ['mart.b'],
    parameters,
  };
};
const DICTIONARY = {
  publishedAt: null,
  tables: TABLES,
  questions: [
    question('q1', [{ name: 'crawl', type: 'text', default: 'latest', description: 'The crawl.' }]),
    question('q2', []),
  ],
} as unknown as Dictionary;
const site = renderSite(DICTIONARY);
const sectionOf = (id: string): string =>
  new RegExp(`<section[^>]* id="${id}"[\\s\\S]*?</section>`).exec(site)?.[0] ?? '';

test('a table has its facts, sources, readers, columns, tests and SQL', () => {
  const own = sectionOf('mart.b');
  for (const part of [
    '<p class="facts">table · 1 row · a row for each crawl_id, url</p>',
    '<p>Rows of <code>SELECT 1</code> in <a href="#raw.a">raw.a</a> and <code>raw.gone</code>. More.</p>',
    'Made from <a href="#raw.a">raw.a</a>, <code>raw.gone</code>.',
    '<summary>Lineage</summary>',
    ' <span class="facts">from <a href="#raw.a.url">raw.a.url</a></span></td>',
    '<td class="failed">failed: 3 rows</td><td>2026-03-01</td>',
    '<td class="">not run</td><td></td>',
    '<td class="passed">passed</td>',
    'SELECT\n  crawl_id,\n  &quot;Odd &quot;&quot;name&quot;&quot;&quot;\nFROM mart.b\nWHERE crawl_id = (',
    '-- Rows of `SELECT 1` in raw.a and raw.gone.\n',
    '<summary>SQL (sql/b.sql)</summary><pre>SELECT &lt;1&gt;</pre>',
  ])
    expect(own.replaceAll('&#34;', '&quot;')).toContain(part);
  expect(own).not.toContain('Read by');
  expect(own.match(/class="facts">from/g)).toHaveLength(1);
});

test('a table without data of a kind lacks its part', () => {
  const runs = sectionOf('ops.runs');
  expect(runs).toContain('<p class="facts">table · 1,200 rows</p>');
  expect(runs).toContain('-- ops.runs\nSELECT\n\nFROM ops.runs\nLIMIT 20');
  for (const part of ['Made from', 'Read by', 'Lineage', 'Tests', '<summary>SQL', '<p></p>', 'false', 'null'])
    expect(runs).not.toContain(part);
  const raw = sectionOf('raw.a');
  expect(raw).toContain('<p class="facts">table with the fields of the service</p>');
  expect(raw).toContain('Read by <a href="#mart.b">mart.b</a>.');
  expect(raw).toContain('<summary>SQL</summary>');
});

test('a question has its parameters, if it has some', () => {
  expect(sectionOf('q1')).toContain(
    '<td class="name">crawl</td><td class="type">text</td><td>latest</td><td>The crawl.</td>',
  );
  expect(sectionOf('q1')).toContain('reads <a href="#mart.b">mart.b</a>');
  expect(sectionOf('q2')).not.toContain('<table>');
});

test('the site shows its size and the time of the publication', () => {
  expect(site).toContain('<p class="facts">3 tables and views, 2 saved questions.</p>');
  expect(renderSite({ ...DICTIONARY, publishedAt: '2026-03-01T03:00:00Z' })).toContain(
    'questions; published 2026-03-01T03:00:00Z.</p>',
  );
});

test('the lineage draws each table once, with a line from each source that is drawn', () => {
  const drawing = /<svg class="lineage"[\s\S]*?<\/svg>/.exec(site)?.[0] ?? '';
  const places = [...drawing.matchAll(/<rect class="(\w+)" x="(\d+)" y="(\d+)" width="(\d+)"/g)];
  expect(places.map(([, kind]) => kind).sort()).toEqual(['mart', 'raw', 'raw']);
  const numbers = places.map(([, kind, ...numbers]) => [kind, ...numbers.map(Number)] as const);
  const [[, x1 = 0, y1 = 0, width = 0] = [], [, otherX, otherY] = []] = numbers.filter(
    ([kind]) => kind === 'raw',
  );
  const [, x2 = 0, , last = 0] = numbers.find(([kind]) => kind === 'mart') ?? [];
  const [from, middle] = [x1 + width, (x1 + width + x2) / 2];
  expect(x2).toBeGreaterThan(from);
  expect([otherX, Number(otherY) > y1]).toEqual([x1, true]);
  expect(drawing).toMatch(
    new RegExp(`<path d="M${from},[\\d.]+C${middle},[\\d.]+ ${middle},[\\d.]+ ${x2},[\\d.]+"/>`),
  );
  expect(drawing).toContain(`width="${x2 + last + x1}"`);
  expect(drawing.match(/<path/g)).toHaveLength(2);
  expect(drawing).toContain('<a href="#raw.a"><rect');
  expect(drawing).not.toContain('<a href="#raw.gone">');
  expect(sectionOf('mart.b')).toContain('class="mart chosen"');
});

test('the Markdown page contains only the models', () => {
  const page = renderDictionaryPage({
    ...DICTIONARY,
    tables: [...TABLES, table('mart.c', { file: 'sql/c.sql' })],
  });
  expect(page).toContain('[mart.b](#martb) · [mart.c](#martc)\n');
  expect(page).toContain(
    'A table; a row for each `crawl_id`, `url`. Built from `raw.a`, `raw.gone` by [sql/b.sql](../sql/b.sql).\n',
  );
  expect(page).toContain('A view; rows may repeat. Built by [sql/c.sql](../sql/c.sql).\n');
  expect(page.match(/^Tests: .*$/gm)).toEqual(['Tests: unique; not_null (warn); fits (warn).']);
  expect(page).not.toContain('raw.a\n');
});
