import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { SegmentsDocument } from '../../../../../src/app/console/pages/project/segments-page.ts';
import { Database, text } from '../../../../../src/core/duckdb/duckdb.ts';
import { readText } from '../../../../../src/core/files/read-text.ts';
import { html } from '../../../../../src/core/text/html.ts';
import { segmentsStamp } from '../../../../../src/etl/project/settings/change-segments.ts';
import type { Settings } from '../../../../../src/etl/project/settings/settings.ts';
import { type OpenConsole, sharedConsole } from '../../../../support/open-console.ts';
import { sharedFolder } from '../../../../support/temporary.ts';
import { projectWithWarehouse } from '../../project-with-warehouse.ts';

const folder = sharedFolder();
const FILE = `# Our templates
segmentations:
  - name: template # as the CMS names them
    projects: [Shop]
    segments:
      - { name: first, url: /1 }
      - { name: "it's \\"two\\"", sql: "status = 404" }
    else: other
  - { name: depth, segments: [{ name: deep, oql: { field: [large, equals, 9007199254740993] } }] }
`;
let settings: Settings;

beforeAll(async () => {
  settings = await projectWithWarehouse(folder);
  await using database = await Database.open({
    memoryLimit: '200MB',
    threads: 1,
    tempDirectory: join(settings.projectDir, 'spill'),
  });
  const connection = await database.connect();
  await connection.run(`ATTACH ${text(settings.warehouse)} AS w`);
  await connection.run(`CREATE OR REPLACE TABLE w.mart.pages AS
    SELECT 'c2' AS crawl_id, url AS page_key, url AS url_key, * FROM w.mart.pages`);
  await connection.run(`CREATE TABLE w.mart.projects AS
    SELECT 'p1' AS project_id, 'Shop' AS project_name, 'https://shop.example/' AS start_url`);
  await connection.run('DETACH w');
});

const shared = sharedConsole(() => settings);
const readOnly = sharedConsole(() => ({ ...settings, console_actions: false }));

beforeEach(() => writeFile(join(settings.projectDir, 'segments.yaml'), FILE));

const file = (): Promise<string> => readText(join(settings.projectDir, 'segments.yaml'));
const RULES: [string, string][] = [
  ['name', 'template'],
  ['projects', 'Shop'],
  ['segment', 'first'],
  ['kind', 'url'],
  ['condition', '/1\n/3$'],
  ['segment', 'missing'],
  ['kind', 'sql'],
  ['condition', 'status = 404'],
  ['segment', ''],
  ['kind', 'url'],
  ['condition', ''],
  ['rest', ''],
];

const stamp = async (): Promise<[string, string]> => ['stamp', await segmentsStamp(settings.projectDir)];

async function documentOf({ ask }: OpenConsole, query: readonly [string, string][]) {
  const given = new URLSearchParams([...query, await stamp()]);
  const answer = await ask(`/projects/p1/segments.json?${given}`);
  expect(answer.status).toBe(200);
  return SegmentsDocument.parse(await answer.json());
}

async function send({ ask }: OpenConsole, fields: readonly [string, string][]): Promise<Response> {
  const csrf = /name="csrf" value="([^"]+)"/.exec(await (await ask('/ask')).text())?.[1] ?? '';
  return ask('/projects/p1/segments', {
    method: 'POST',
    body: new URLSearchParams([['csrf', csrf], ...fields, await stamp()]),
  });
}

test('the form shows the file, and counts the pages of each rule', async () => {
  const open = shared();
  const { segmentations, draft, preview } = await documentOf(open, [['at', '0']]);
  expect([segmentations, preview]).toEqual([['template', 'depth'], null]);
  expect(draft).toEqual({
    at: 0,
    stamp: (await stamp())[1],
    name: 'template',
    projects: 'Shop',
    rest: 'other',
    rules: [
      { segment: 'first', kind: 'url', condition: '/1' },
      { segment: 'it\'s "two"', kind: 'sql', condition: 'status = 404' },
    ],
  });
  const checked = await documentOf(open, [['at', '0'], ['check', '1'], ...RULES]);
  expect(checked.problem).toBeNull();
  // 111 paths begin with /1, one is /3, and of the rest each tenth is an error.
  expect(checked.preview).toEqual({
    crawl_id: 'c2',
    pages: 250,
    segments: [
      { segment: 'first', pages: 112, samples: [1, 10, 100].map((n) => `https://shop.example/${n}`) },
      { segment: 'missing', pages: 14, samples: [207, 217, 227].map((n) => `https://shop.example/${n}`) },
      { segment: null, pages: 124, samples: [0, 2, 20].map((n) => `https://shop.example/${n}`) },
    ],
  });
  const { draft: depth } = await documentOf(open, [['at', '1']]);
  expect(depth.rules).toEqual([
    { segment: 'deep', kind: 'oql', condition: '{"field":["large","equals",9007199254740993]}' },
  ]);
});

test.each([
  ['url', 'blog', 'a pattern begins with /'],
  ['sql', 'no_such_column = 1', 'no_such_column'],
  ['sql', 'true) OR (true', 'segments.yaml:'],
  ['oql', '{ field: [no_such_column, equals, 1] }', 'mart.pages has no column no_such_column'],
  ['oql', '{ field: [', 'the filter cannot be read'],
  ['oql', 'text', 'it has no keys with values'],
])('a rule by %s that is %s is refused at its input, and nothing is saved', async (kind, condition, why) => {
  const open = shared();
  const rules: [string, string][] = [
    ['name', 'new'],
    ['segment', 's'],
    ['kind', kind],
    ['condition', condition],
  ];
  const { problem, draft } = await documentOf(open, [['check', '1'], ...rules]);
  expect(problem?.message).toContain(why);
  expect(draft.rules).toEqual([{ segment: 's', kind, condition }]);
  const saved = await send(open, [['change', 'save'], ...rules]);
  const page = await saved.text();
  expect(saved.status).toBe(400);
  expect(page).toContain(`name="condition" value="${html`${condition}`.text}"`);
  expect(page).toContain('action="/projects/p1/segments/count"');
  expect(await file()).toBe(FILE);
});

test('long rules are counted by a form, also for an analyst, and no action is recorded', async () => {
  const open = shared();
  const analyst = await open.signIn('grace', 'analyst');
  const fields = {
    at: '0',
    stamp: await segmentsStamp(settings.projectDir),
    name: 'template',
    segment: 'first',
    kind: 'url',
    condition: `/1\n${Array.from({ length: 2000 }, (_, n) => `/no-such-folder-${n}/`).join('\n')}`,
    rest: 'other',
    check: '1',
  };
  for (const cookie of [undefined, analyst]) {
    const counted = await open.post('/projects/p1/segments/count', fields, cookie);
    const page = await counted.text();
    expect([counted.status, page.includes('Save in segments.yaml')]).toEqual([200, cookie === undefined]);
    expect(page).toMatch(/first<\/th>\s*<td[^>]*>111</);
    expect(page).toContain('/no-such-folder-1999/');
  }
  const body = new URLSearchParams({ ...fields, csrf: 'of another session' });
  const forged = await open.ask('/projects/p1/segments/count', { method: 'POST', body });
  expect([forged.status, await forged.text()]).toEqual([403, expect.stringContaining('another session')]);
  const elsewhere = await open.ask('/projects/p1/segments/count', {
    method: 'POST',
    body,
    headers: { origin: 'https://elsewhere.example' },
  });
  expect(elsewhere.status).toBe(403);
  const again = await open.ask('/projects/p1/segments/count');
  expect([again.status, again.headers.get('location')]).toEqual([302, '/projects/p1/segments']);
  const audit = (await (await open.ask('/audit.json')).json()) as { entries: unknown[] };
  expect(JSON.stringify(audit)).not.toContain('template');
});

test('an operator saves, adds and removes a segmentation; comments and other segmentations stay', async () => {
  const open = shared();
  const saved = await send(open, [['at', '0'], ['change', 'save'], ...RULES]);
  expect([saved.status, saved.headers.get('location')]).toEqual([303, '/projects/p1/segments?at=0&saved=1']);
  expect(await file()).toContain('# Our templates');
  expect(await file()).toContain('- name: template # as the CMS names them');
  // Of another segmentation, beyond 2^53.
  expect(await file()).toContain('9007199254740993');
  const added = await send(open, [
    ['at', ''],
    ['change', 'save'],
    ['name', 'new'],
    ['segment', 'all'],
    ['kind', 'url'],
    ['condition', '/'],
  ]);
  expect(added.headers.get('location')).toBe('/projects/p1/segments?at=2&saved=1');
  const { segmentations } = await documentOf(open, []);
  expect(segmentations).toEqual(['template', 'depth', 'new']);
  const stale = await send(open, [['stamp', 'of another file'], ['at', '0'], ['change', 'save'], ...RULES]);
  expect([stale.status, await stale.text()]).toEqual([400, expect.stringContaining('has changed since')]);
  await send(open, [
    ['at', '0'],
    ['change', 'remove'],
    ['was', 'template'],
  ]);
  expect((await documentOf(open, [])).segmentations).toEqual(['depth', 'new']);
  expect(await (await open.ask('/audit')).text()).toContain('remove segmentation template');
});

test.each([
  "true); COPY (FROM read_text('FOLDER/segments.yaml')) TO 'FOLDER/stolen.csv'; FROM mart.pages WHERE (true",
  "true; COPY (FROM range(1)) TO 'FOLDER/stolen.csv'",
  "url IN (FROM read_csv('http://127.0.0.1:9/x'))",
  "url IN (/* */ FROM read_text('FOLDER/segments.yaml'))",
  "true) UNION FROM read_text('FOLDER/segments.yaml') WHERE (true",
  "EXISTS (WITH a AS (FROM read_text('FOLDER/segments.yaml')) FROM a)",
  "url = (VALUES ('a'))",
  'url = (TABLE raw.projects)',
  "url IN ((FROM read_text('FOLDER/segments.yaml')))",
  'status = 404 /*',
  'status = 404 --',
])('a condition cannot read or write files or addresses: %s', async (text) => {
  const open = readOnly();
  const condition = text.replaceAll('FOLDER', settings.projectDir);
  const rules: [string, string][] = [
    ['name', 'new'],
    ['segment', 's'],
    ['kind', 'sql'],
    ['condition', condition],
  ];
  const { problem, preview } = await documentOf(open, [['check', '1'], ...rules]);
  // A comment that only goes to the end of its line is harmless.
  if (text.endsWith('--')) expect(preview?.segments[0]?.pages).toBe(25);
  else expect(problem?.message).toMatch(/segments\.yaml:\d+: segmentations\.2\.segments\.0\.sql: /);
  expect(problem?.message ?? '').not.toContain('Our templates');
  expect(existsSync(join(settings.projectDir, 'stolen.csv'))).toBe(false);
});

test('of segmentations with the same name, each counts its own rules', async () => {
  const other = FILE.replace('- { name: depth', '- { name: template, projects: [Blog]');
  await writeFile(join(settings.projectDir, 'segments.yaml'), other);
  const { preview } = await documentOf(shared(), [
    ['at', '1'],
    ['check', '1'],
    ['name', 'template'],
    ['projects', 'Blog'],
    ['segment', 'first'],
    ['kind', 'url'],
    ['condition', '/1'],
  ]);
  expect(preview?.segments).toMatchObject([
    { segment: 'first', pages: 0 },
    { segment: null, pages: 250 },
  ]);
});

test('a read-only console counts pages and saves nothing', async () => {
  const open = readOnly();
  expect((await documentOf(open, [['at', '0'], ['check', '1'], ...RULES])).preview?.pages).toBe(250);
  const { problem } = await documentOf(open, [['check', '1'], ...RULES]);
  expect(problem?.message).toBe('there already is a segmentation template for these projects');
  expect((await send(open, [['change', 'save'], ...RULES])).status).toBe(403);
  expect(await file()).toBe(FILE);
});
