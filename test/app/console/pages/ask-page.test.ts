import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Settings } from '../../../../src/etl/project/settings/settings.ts';
import { type OpenConsole, openConsole } from '../../../support/open-console.ts';
import { raw } from '../../../support/raw-request.ts';
import { sharedFolder } from '../../../support/temporary.ts';
import { projectWithWarehouse } from '../project-with-warehouse.ts';

const folder = sharedFolder();
let settings: Settings;
let open: OpenConsole;
let close: () => PromiseLike<void>;
beforeAll(async () => {
  settings = await projectWithWarehouse(folder);
  open = await openConsole(settings, (closing) => {
    close = closing;
  });
});
afterAll(async () => {
  await close();
});

const address = (fields: Readonly<Record<string, string>>, path = '/ask.json'): string =>
  `${path}?${new URLSearchParams({ run: '1', ...fields })}`;

/** The JSON of an answer, as text where digits matter. */
async function asked({ ask }: OpenConsole, fields: Readonly<Record<string, string>>) {
  const text = await (await ask(address(fields))).text();
  return { text, ...JSON.parse(text) };
}

async function csrfOf({ ask }: OpenConsole): Promise<string> {
  return /name="csrf" value="([^"]+)"/.exec(await (await ask('/ask')).text())?.[1] ?? '';
}

function post({ ask }: OpenConsole, fields: Readonly<Record<string, string>>): Promise<Response> {
  return ask('/ask', { method: 'POST', body: new URLSearchParams(fields) });
}

test('a result shows columns with types, pages of 100 rows, sorting and a filter', async () => {
  const sql = 'SELECT url, status, large FROM mart.pages ORDER BY large; -- the end';
  const first = await asked(open, { sql });
  expect(first.columns).toEqual([
    { name: 'url', type: 'VARCHAR' },
    { name: 'status', type: 'INTEGER' },
    { name: 'large', type: 'BIGINT' },
  ]);
  expect([first.rows.length, first.more, first.total, first.error]).toEqual([100, true, 250, null]);
  expect(first.text).toContain('9007199254740993');
  const third = await asked(open, { sql, page: '3' });
  expect([third.rows.length, third.more, third.total]).toEqual([50, false, 250]);
  const down = await asked(open, { sql, sort: 'large', order: 'desc' });
  expect(down.rows[0][0]).toBe('https://shop.example/249');
  // Rows with one status keep their places from page to page.
  const [one, two, three] = await Promise.all(
    ['1', '2', '3'].map((page) => asked(open, { sql, sort: 'status', page })),
  );
  const urls = [one, two, three].flatMap(({ rows }) => rows.map(([url]: [string]) => url));
  expect(new Set(urls).size).toBe(250);
  expect((await asked(open, { sql, filter: '404' })).total).toBe(25);
  expect((await asked(open, { sql, filter: 'EXAMPLE/24', in: 'url' })).total).toBe(11);
  expect((await asked(open, { sql, filter: "it's %" })).rows).toEqual([]);
});

test('a result may have any column names, duplicate names, nested values or no rows', async () => {
  const name = `x"y' <script>alert(1)</script>`;
  const sql = `SELECT 1 AS a, 2 AS a, [1, NULL] AS "${name.replaceAll('"', '""')}", NULL AS nothing, 1.10::DECIMAL(5,2) AS exact`;
  const { columns, text } = await asked(open, { sql, sort: name, order: 'desc', filter: '2', in: 'a_1' });
  expect(columns.map((one: { name: string }) => one.name)).toEqual(['a', 'a_1', name, 'nothing', 'exact']);
  expect(text.replaceAll(/\s/g, '')).toContain('[1,2,[1,null],null,1.10]');
  const drawn = await (await open.ask(address({ sql }, '/ask'))).text();
  expect(drawn).not.toContain('<script>alert');
  expect(drawn).toContain('<span class="null" title="NULL">–</span>');
  expect(drawn).toContain('1.10');
  expect(await (await open.ask(address({ sql: 'SELECT 1 WHERE false' }, '/ask'))).text()).toContain(
    'There are no rows',
  );
  for (const statement of [
    'EXPLAIN SELECT 1',
    'DESCRIBE mart.pages',
    'SHOW ALL TABLES',
    'SUMMARIZE mart.pages',
  ])
    expect((await asked(open, { sql: statement })).rows.length, statement).toBeGreaterThan(0);
});

test('SQL that writes, reads files or escapes its brackets is refused', async () => {
  for (const sql of [
    'DROP TABLE mart.pages',
    'SELECT 1; DROP TABLE mart.pages',
    'SELECT 1); DROP TABLE mart.pages; --',
    'SELECT 1) AS answer, (SELECT 2',
    "COPY (SELECT 1) TO 'x.csv'",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "ATTACH 'x.duckdb'",
    'SET threads = 8',
    'SELECT 1 /* open',
  ])
    expect((await asked(open, { sql })).error?.code, sql).toBe('bad_query');
  expect((await asked(open, { sql: 'SELECT count(*) AS n FROM mart.pages' })).rows).toEqual([[250]]);
});

test('a sort or filter in the address cannot run a second statement', async () => {
  const macro = 'commit; create or replace temp macro sum(x) as 0';
  for (const sql of [`SELECT $é$'$é$ AS a, 2 AS "b'; c"`, `SELECT 1 AS a -- \u2028 '\n, 2 AS "b'; c"`])
    for (const sort of [`) AS x; ${macro}; select 1 --`, `"; ${macro}; --`]) {
      const { error } = await asked(open, { sql, sort, order: 'desc' });
      expect(error).toMatchObject({ code: 'bad_query', message: expect.stringContaining('has no column') });
      expect((await asked(open, { sql, filter: sort, in: sort })).error?.code).toBe('bad_query');
    }
  expect((await asked(open, { sql: 'SELECT sum(1)::INT AS n FROM mart.pages' })).rows).toEqual([[250]]);
});

test('an error shows its position in the original SQL, and the editor keeps the SQL', async () => {
  const binding = await asked(open, { sql: 'SELECT url,\n  nope\nFROM mart.pages' });
  expect(binding.error).toMatchObject({
    code: 'bad_query',
    line: 2,
    place: expect.stringContaining('nope\n'),
  });
  const sql = "SELECT 1,\n\nCAST('x' || i AS INTEGER)\nFROM range(3) AS t(i)";
  expect((await asked(open, { sql })).error).toMatchObject({ line: 3 });
  const drawn = await (await open.ask(address({ sql }, '/ask'))).text();
  expect(drawn).toContain('LINE 3: CAST(&#39;x&#39;');
  expect(drawn).toContain('\nSELECT 1,\n\nCAST(&#39;x&#39;');
});

test('a link from another site fills the editor and runs nothing', async () => {
  const to = address({ sql: 'SELECT 4711 + 1 AS secret' }, '/ask');
  const cookie = await open.signIn();
  const ask = async (path: string, headers: Readonly<Record<string, string>>): Promise<string> =>
    (await raw(new URL(path, open.url).href, 'GET', { cookie, ...headers })).text;
  const clicked = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  for (const headers of [
    { 'sec-fetch-site': 'cross-site', ...clicked },
    { 'sec-fetch-site': 'same-site', ...clicked },
    { 'sec-fetch-site': 'cross-site' },
    { accept: 'text/html', referer: 'https://evil.example/' },
    { accept: 'text/html' },
  ]) {
    const page = await ask(to, headers);
    expect(page).toContain('SELECT 4711 + 1 AS secret</textarea>');
    expect(page).toContain('nothing ran');
    expect(page).not.toContain('4712');
    const json = JSON.parse(await ask(to.replace('/ask', '/ask.json'), headers));
    expect([json.ran, json.rows]).toEqual([false, []]);
  }
  for (const site of ['same-origin', 'none'])
    expect(await ask(to, { 'sec-fetch-site': site, ...clicked })).toContain('4712');
  expect(await ask(to, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' })).toContain(
    'another site',
  );
});

test('a form needs the session token, and long SQL is stored only for its user', async () => {
  const csrf = await csrfOf(open);
  const sql = 'SELECT count(*) AS n FROM mart.pages';
  for (const wrong of ['', 'x', csrf.toUpperCase()])
    expect((await post(open, { csrf: wrong, sql })).status).toBe(403);
  const short = await post(open, { csrf, sql });
  const to = short.headers.get('location') ?? '';
  expect([short.status, to]).toEqual([
    303,
    `/ask?sql=${sql.replaceAll(' ', '+').replace('(*)', '%28*%29')}&run=1`,
  ]);
  const long = await post(open, { csrf, sql: `${sql} -- ${'é'.repeat(20_000)}`, 'param.x': '' });
  const kept = long.headers.get('location') ?? '';
  expect(kept.length).toBeLessThan(100);
  const page = await (await open.ask(kept)).text();
  expect(page).toContain('é'.repeat(20_000));
  expect(page).toContain('<td class="number">250</td>');
  expect(await (await open.ask('/ask?run=1&kept=gone')).text()).toContain('no longer stored');
});

test('a crawl can be named by position or day, in the result and its chart', async () => {
  const sql =
    "SELECT crawl_id, day FROM (VALUES ('c1', 1), ('c2', 2)) AS t(crawl_id, day) WHERE crawl_id = $crawl";
  for (const [name, row] of [
    ['latest', ['c2', 2]],
    ['-1', ['c1', 1]],
    ['2026-11-01', ['c1', 1]],
  ] as const) {
    expect((await asked(open, { sql, 'param.crawl': name })).rows, name).toEqual([row]);
    const charted = await open.ask(
      address({ sql, 'param.crawl': name, chart: 'bar', x: 'crawl_id', y: 'day' }, '/ask'),
    );
    expect(await charted.text(), name).toMatch(/<svg/);
  }
  expect((await asked(open, { sql, 'param.crawl': '-2' })).error).toMatchObject({
    code: 'usage',
    message: 'there is no crawl -2',
  });
});

test('a saved question is found, shown with its parameters, and run with them', async () => {
  const list = await (await open.ask('/ask?find=STATUS+pages')).text();
  expect(list).toContain('<h3>What changed</h3><ul><li><a href="/ask?question=q90_pages_by_status"');
  expect(await (await open.ask('/ask?find=hreflang')).text()).toContain('No saved question matches');
  const shown = await (await open.ask('/ask?question=q90_pages_by_status')).text();
  expect(shown).toContain('<h1>Pages by status</h1>');
  expect(shown).toContain('<option value="Shop">Shop</option>');
  expect(shown).toContain('Without it: 2.');
  const question = 'q90_pages_by_status';
  expect((await asked(open, { question })).rows).toEqual([
    [200, 225],
    [404, 25],
  ]);
  expect((await asked(open, { question, 'param.most': '1', 'param.project': 'p1' })).rows).toEqual([
    [200, 225],
  ]);
  expect((await asked(open, { question })).why).toBeNull();
  const why = 'No rows match; project p1 has the data that the question needs.';
  const none = { question, 'param.most': '0', 'param.project': 'p1' };
  expect(await asked(open, none)).toMatchObject({ rows: [], why });
  expect(await (await open.ask(address(none, '/ask'))).text()).toContain(why);
  for (const [name, value] of [
    ['most', 'x'],
    ['project', 'p2'],
  ])
    expect((await asked(open, { question, [`param.${name}`]: value ?? '' })).error?.code, name).toBe('usage');
  expect((await asked(open, { question: 'q99' })).error?.hint).toContain('q90_pages_by_status');
  const edited = await (await open.ask(`/ask?edit=${question}`)).text();
  expect(edited).toContain('LIMIT $most</textarea>');
  expect(edited).toContain('name="param.most"');
  const own = {
    sql: 'SELECT DISTINCT status, $from AS day FROM mart.pages WHERE status = $n',
    'param.n': '404',
    'param.from': '2026-01-31',
  };
  expect((await asked(open, own)).rows).toEqual([[404, '2026-01-31']]);
});

test('a chart covers the whole result, or reports that rows are missing', async () => {
  const sql = 'SELECT url, status, large FROM mart.pages';
  const bar = await asked(open, { sql, chart: 'bar', x: 'url', y: 'large', colour: 'status', filter: '404' });
  expect([bar.chart.rows.length, bar.chart.cut, bar.chart.problem]).toEqual([25, false, null]);
  const many = {
    sql: 'SELECT 3000 - i AS x, i * 2 AS y FROM range(3000) AS t(i)',
    chart: 'line',
    x: 'x',
    y: 'y',
  };
  const line = await asked(open, many);
  expect([line.chart.rows.length, line.chart.cut, line.chart.rows[0]]).toEqual([
    2000,
    true,
    { x: 1, y: 5998 },
  ]);
  const page = await (await open.ask(address(many, '/ask'))).text();
  expect(page).toContain('The first 2,000 rows are drawn; there are more.');
  expect(page).toContain('aria-label="y by x: 2,000 points, from 2,000 to 5,998"');
  expect(page).not.toMatch(/<style|\sstyle=/);
  const wrong = await asked(open, { sql, chart: 'scatter', x: 'url', y: 'large' });
  expect([wrong.chart.problem, wrong.rows.length]).toEqual(['a scatter needs numbers or times for x', 100]);
  expect((await asked(open, { sql, chart: 'line', x: 'gone', y: 'large' })).chart.problem).toContain(
    'no column gone',
  );
  const counted = await (await open.ask(address({ sql, chart: 'bar', x: 'status', y: '' }, '/ask'))).text();
  expect(counted).toContain('rows by status');
  expect(counted).toContain('<td class="number">225</td>');
  // A first choice is offered.
  const plain = await (await open.ask(address({ sql }, '/ask'))).text();
  expect(plain).toContain('<option value="bar" selected>');
  expect(plain).not.toContain('<figure>');
  // A question declares its own.
  const declared = await asked(open, { question: 'q90_pages_by_status' });
  expect(declared.chart).toMatchObject({ kind: 'bar', x: 'status', y: ['pages'], each: [] });
  const drawn = await (await open.ask(address({ question: 'q90_pages_by_status' }, '/ask'))).text();
  expect(drawn).toContain('aria-label="pages by status: most at 200, 225"');
});

test('a chart omits the rows that its question omits, on any page, and shows how many', async () => {
  const file = join(settings.projectDir, 'sql', 'questions', 'q92_crawls.sql');
  await writeFile(
    file,
    `/*
title: Crawls
model: mart.pages
description: Crawls of which some are not whole.
chart: {kind: line, x: n, y: n, only: is_whole}
*/
SELECT url AS crawl_id, status AS extra, row_number() OVER (ORDER BY url) > 50 AS is_whole,
  row_number() OVER (ORDER BY url) AS n
FROM mart.pages ORDER BY url LIMIT 150
`,
  );
  onTestFinished(() => rm(file));
  const { chart } = await asked(open, { question: 'q92_crawls' });
  expect([chart.only, chart.rows.length]).toEqual(['is_whole', 150]);
  expect(Object.keys(chart.rows[0])).toEqual(['crawl_id', 'is_whole', 'n']);
  for (const choice of [{}, { chart: 'bar', x: 'crawl_id', y: 'n' }]) {
    const page = await (await open.ask(address({ question: 'q92_crawls', ...choice }, '/ask'))).text();
    expect(page).toContain('<p class="facts">50 crawls that are not whole are left out.</p>');
  }
  const none = address({ question: 'q92_crawls', filter: 'false' }, '/ask');
  expect(await (await open.ask(none)).text()).toContain(
    'No chart: 50 crawls that are not whole are left out, and there is no other.',
  );
});

test('the editor gets tables and columns for completion, but not without a session', async () => {
  const { ask } = open;
  const { tables } = JSON.parse(await (await ask('/ask/catalog.json')).text());
  expect(tables.map(({ name }: { name: string }) => name)).toEqual([
    'mart.crawls',
    'mart.pages',
    'raw.projects',
  ]);
  expect(tables[1].columns[0]).toEqual({ name: 'project_id', type: 'VARCHAR', comment: null });
  expect((await ask('/ask/catalog.json', { cookie: '' })).status).toBe(401);
});

test('an endless query stops at its limit, and another query runs afterwards', async () => {
  const limited = await openConsole({ ...settings, query_timeout: 0.3 });
  const endless =
    'SELECT count(*) FROM range(10_000_000_000) a, range(10_000_000_000) b WHERE a.range + b.range = -1';
  const { error } = await asked(limited, { sql: endless });
  expect(error).toMatchObject({ code: 'query_limit', message: expect.stringContaining('longer than 0.3 s') });
  expect(error.hint).toContain('download the whole result');
  expect((await asked(limited, { sql: "SELECT repeat('x', 2_000_000) AS long" })).error).toMatchObject({
    code: 'query_limit',
    message: expect.stringContaining('more than 1.0 MB'),
  });
  expect((await asked(limited, { sql: 'SELECT 1' })).rows).toEqual([[1]]);
});

test('a query ends when its browser disconnects', { timeout: 20_000 }, async () => {
  const sql =
    'SELECT count(*) FROM range(10_000_000_000) a, range(10_000_000_000) b WHERE a.range + b.range = -1';
  // Both places of queries: a third one runs only once these have ended.
  const leaving = new AbortController();
  const left = [1, 2].map((n) =>
    open.ask(address({ sql: `${sql} AND ${n} > 0` }), { signal: leaving.signal }),
  );
  const waiting = asked(open, { sql: 'SELECT 7' });
  await asked({ ...open, ask: (path) => open.ask(path.replace('/ask.json', '/index.json')) }, {});
  leaving.abort();
  expect((await Promise.allSettled(left)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await waiting).rows).toEqual([[7]]);
});

test('charts over time of one project show its notes and general notes', async () => {
  const note = (project: string, text: string) =>
    `  - {date: 2026-11-02, ${project}kind: deployment, text: ${text}}\n`;
  const notes = join(settings.projectDir, 'notes.yaml');
  await writeFile(
    notes,
    `notes:\n${note('', 'everywhere')}${note('project: p1, ', 'in the shop')}${note('project: p2, ', 'elsewhere')}`,
  );
  onTestFinished(() => rm(notes));
  const texts = async (fields: Readonly<Record<string, string>>): Promise<string[]> => {
    const page = await (
      await open.ask(address({ chart: 'line', x: 'ended_at', y: 'n', ...fields }, '/ask'))
    ).text();
    return [...page.matchAll(/2026-11-02, deployment: ([^<]*)</g)].map(([, text = '']) => text);
  };
  const own = ['everywhere', 'in the shop'];
  expect(await texts({ sql: 'SELECT project_id, ended_at, 1 AS n FROM mart.crawls' })).toEqual(own);
  expect(
    await texts({ sql: 'SELECT ended_at, crawl_id, 1 AS n FROM mart.crawls', colour: 'crawl_id' }),
  ).toEqual(['everywhere']);
  const asked = 'SELECT ended_at, 1 AS n FROM mart.crawls WHERE project_id = $project';
  expect(await texts({ sql: asked, 'param.project': 'p1' })).toEqual(own);
  expect(
    await texts({
      sql: 'SELECT project_id, ended_at, crawl_id, 1 AS n FROM mart.crawls',
      colour: 'crawl_id',
    }),
  ).toEqual(own);
});
