import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { LedgerWatch } from '../../support/kills.ts';
import {
  crawlhouse,
  projectFolder,
  published,
  rawProjectFolder,
  spawnCrawlhouse,
} from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const FIELDS = [
  ['url', 'string'],
  ['depth', 'natural'],
  ['title', 'string'],
].map(([name, type]) => ({
  name,
  type,
  arity: 'one',
  can_display: true,
  can_filter: true,
  can_sort: true,
  actions: ['equals'],
}));

interface Page {
  readonly url: string;
  readonly title?: string;
}

/** URLs `/1` to `/n` of a host. */
const pagesOf = (host: string, n: number): Page[] =>
  Array.from({ length: n }, (_, index) => ({ url: `https://${host}/${index + 1}`, title: '12' }));

/** A service whose crawls, named `<project>-<date>`, can be changed: it then starts again at the same address. */
class ImportedService {
  readonly #folder: string;
  readonly #names = new Set<string>();
  #sandbox: Sandbox | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    onTestFinished(() => this.#sandbox?.close());
  }

  get sandbox(): Sandbox {
    if (!this.#sandbox) throw new Error('not started');
    return this.#sandbox;
  }

  async hold(crawls: Readonly<Record<string, readonly Page[]>>): Promise<Sandbox> {
    for (const [name, pages] of Object.entries(crawls)) {
      this.#names.add(name);
      const folder = join(this.#folder, name);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'pages.fields.json'), JSON.stringify(FIELDS));
      await writeFile(
        join(folder, 'pages.jsonl'),
        pages.map((page) => `${JSON.stringify({ depth: 1, title: 'A', ...page })}\n`).join(''),
      );
    }
    const port = this.#sandbox ? Number(new URL(this.#sandbox.baseUrl).port) : 0;
    await this.#sandbox?.close();
    const importDirs = [...this.#names].map((name) => join(this.#folder, name));
    this.#sandbox = await startSandbox({ importDirs, port });
    return this.#sandbox;
  }
}

const service = async (): Promise<ImportedService> => new ImportedService(await temporaryFolder());

const run = async (folder: string, { sandbox }: ImportedService, ...args: string[]) => {
  const { status, stdout, stderr } = await crawlhouse(folder, sandbox, [
    'run',
    'projects',
    'crawls',
    'crawl_pages',
    ...args,
    '--json',
  ]);
  if (stdout === '') throw new Error(stderr);
  return { status, stderr, report: JSON.parse(stdout) };
};

async function rowsOf(folder: string, sql: string): Promise<Record<string, unknown>[]> {
  using connection = await temporaryConnection(await temporaryFolder());
  return await published(connection, folder, sql);
}

const PAGES = `SELECT project.name AS project, count(*)::INTEGER AS pages, count(DISTINCT url)::INTEGER AS urls
  FROM raw.crawl_pages JOIN raw.projects AS project ON project.id = crawl_pages._project_id AND _seen_to IS NULL
  GROUP BY ALL ORDER BY ALL`;

/** A project folder with one model, which is quickly made. */
async function smallProject(model: string = PAGES_MODEL): Promise<string> {
  const folder = await rawProjectFolder();
  await mkdir(join(folder, 'sql', 'm'));
  await writeFile(join(folder, 'sql', 'm', 'model.sql'), model);
  return folder;
}

const modelText = (grain: string, sql: string): string => `/*
name: mart.model
kind: table
description: Pages.
grain: ${grain}
columns: {crawl_id: Its crawl., url: Its URL., title: Its title.}
reads:
  raw.crawl_pages: {_crawl_id: VARCHAR, url: VARCHAR, title: VARCHAR}
  ops.loads: {dataset: VARCHAR, source_id: VARCHAR, loaded_at: TIMESTAMP WITH TIME ZONE}
incremental:
  by: crawl_id
  partitions: SELECT source_id AS crawl_id, loaded_at FROM ops.loads WHERE dataset = 'crawl_pages'
*/
${sql}
`;
const PAGES_MODEL = modelText(
  '[crawl_id, url]',
  'SELECT _crawl_id AS crawl_id, url, title FROM raw.crawl_pages',
);
const NUMBERS_MODEL = modelText(
  'null',
  'SELECT _crawl_id AS crawl_id, url, CAST(title AS INTEGER) AS title FROM raw.crawl_pages',
);

test('a duplicate URL quarantines its own crawl; others are published, and the fixed crawl is loaded', async () => {
  const folder = await projectFolder();
  const web = await service();
  const twice = [...pagesOf('shop.example', 3), { url: 'https://shop.example/2' }];
  await web.hold({ 'shop-2026-03-02': twice, 'news-2026-03-02': pagesOf('news.example', 5) });

  const first = await run(folder, web);
  expect(first.status, first.stderr).toBe(4);
  expect(await rowsOf(folder, PAGES)).toEqual([{ project: 'news', pages: 5, urls: 5 }]);
  const unit = first.report.units.find((one: { status: string }) => one.status === 'refused');
  expect(unit).toMatchObject({
    dataset: 'crawl_pages',
    counts: { reported: 4, received: 4, staged: 4, rejected: 0, loaded: null, queryable: null },
    error: { code: 'test_held' },
  });
  const crawl = unit.source.id;
  expect(unit.error.message).toBe(
    `crawl_pages/${crawl}: 2 rows of project shop (${unit.source.project_id}), crawl ${crawl} ` +
      `fail the test unique(crawl_id, url) of mart.pages: url = https://shop.example/2`,
  );
  expect(first.report.tests).toContainEqual(
    expect.objectContaining({
      model: 'mart.pages',
      name: 'unique(crawl_id, url)',
      status: 'failed',
      failures: 1,
      held: [`crawl_pages/${crawl}`],
    }),
  );
  const told = "SELECT unit, status, error_code FROM ops.units WHERE status <> 'published'";
  expect(await rowsOf(folder, told)).toEqual([
    { unit: `crawl_pages/${crawl}`, status: 'refused', error_code: 'test_held' },
  ]);
  expect(await rowsOf(folder, 'SELECT unit, code FROM ops.holds')).toEqual([
    { unit: `crawl_pages/${crawl}`, code: 'test_held' },
  ]);
  const status = await crawlhouse(folder, null, ['status']);
  expect(status.stdout).toContain(`crawl_pages/${crawl}: 2 rows of project shop`);

  // The same again: asked for, and refused before it is loaded.
  const second = await run(folder, web);
  expect([
    second.status,
    second.report.models.filter((one: { status: string }) => one.status === 'built'),
  ]).toEqual([4, []]);
  expect(second.report.units.filter((one: { status: string }) => one.status !== 'unchanged')).toMatchObject([
    { unit: `crawl_pages/${crawl}`, status: 'refused', error: unit.error },
  ]);

  await web.hold({ 'shop-2026-03-02': pagesOf('shop.example', 4) });
  const healed = await run(folder, web);
  expect(healed.status, healed.stderr).toBe(0);
  expect(await rowsOf(folder, PAGES)).toEqual([
    { project: 'news', pages: 5, urls: 5 },
    { project: 'shop', pages: 4, urls: 4 },
  ]);
  expect(await rowsOf(folder, 'FROM ops.holds')).toEqual([]);
  expect(await rowsOf(folder, told)).toEqual([]);
});

test('a quarantined crawl keeps its previous rows, and a drop removes it', async () => {
  const folder = await smallProject();
  const web = await service();
  await web.hold({
    'shop-2026-03-02': pagesOf('shop.example', 3),
    'news-2026-03-02': pagesOf('news.example', 5),
  });
  expect((await run(folder, web)).status).toBe(0);
  const [{ crawl } = {}] = await rowsOf(
    folder,
    "SELECT DISTINCT _crawl_id AS crawl FROM raw.crawl_pages WHERE url LIKE '%shop%'",
  );
  const former = await rowsOf(folder, `SELECT * FROM ops.loads WHERE unit = 'crawl_pages/${crawl}'`);

  const twice = [...pagesOf('shop.example', 6), { url: 'https://shop.example/2' }];
  await web.hold({ 'shop-2026-03-02': twice, 'news-2026-03-09': pagesOf('news.example', 7) });
  const args = [
    'backfill',
    'crawl_pages',
    '--from',
    '2026-01-01',
    '--to',
    '2027-01-01',
    '--reload',
    '--json',
  ];
  const again = await crawlhouse(folder, web.sandbox, args);
  expect(again.status, again.stderr).toBe(4);
  expect(await rowsOf(folder, PAGES)).toEqual([
    { project: 'news', pages: 12, urls: 7 },
    { project: 'shop', pages: 3, urls: 3 },
  ]);
  expect(await rowsOf(folder, `SELECT * FROM ops.loads WHERE unit = 'crawl_pages/${crawl}'`)).toEqual(former);
  expect((await run(folder, web)).status).toBe(0);

  const gone = await crawlhouse(folder, null, ['drop', '--crawl', String(crawl), '--yes', '--json']);
  expect(gone.status, gone.stderr).toBe(0);
  expect(JSON.parse(gone.stdout).dropped).toMatchObject([{ unit: `crawl_pages/${crawl}`, rows: 3 }]);
  expect(await rowsOf(folder, `SELECT * FROM raw.crawl_pages WHERE _crawl_id = '${crawl}'`)).toEqual([]);
});

test('a model that fails with the values of one crawl quarantines that crawl', async () => {
  const folder = await smallProject(NUMBERS_MODEL);
  const web = await service();
  const names = ['a', 'b', 'c', 'd', 'e'];
  const crawls = names.map((name) => [`${name}-2026-03-02`, pagesOf(`${name}.example`, 2)] as const);
  const bad = [...pagesOf('d.example', 2), { url: 'https://d.example/3', title: 'three' }];
  await web.hold({ ...Object.fromEntries(crawls), 'd-2026-03-02': bad });
  const { status, report, stderr } = await run(folder, web);
  expect(status, stderr).toBe(4);
  const refused = report.units.filter((one: { status: string }) => one.status === 'refused');
  expect(refused).toMatchObject([{ dataset: 'crawl_pages', error: { code: 'model_held' } }]);
  const [{ source }] = refused;
  expect(refused[0].error.message).toBe(
    `crawl_pages/${source.id}: with the rows of project d (${source.project_id}), crawl ${source.id}: ` +
      'sql/m/model.sql:14: mart.model could not be made: ' +
      "Conversion Error: Could not convert string 'three' to INT32 when casting from source column title",
  );
  const others = names.filter((name) => name !== 'd').map((project) => ({ project, pages: 2, urls: 2 }));
  expect(await rowsOf(folder, PAGES)).toEqual(others);
  expect(await rowsOf(folder, 'SELECT count(*)::INTEGER AS n FROM mart.model')).toEqual([{ n: 8 }]);
  expect(report.models).toMatchObject([{ name: 'mart.model', status: 'built', rows: 8 }]);
});

test('a failed test about all rows keeps the previous publication; dropping the unpublished load fixes it', async () => {
  const few = PAGES_MODEL.replace('*/', 'tests: [{row_count: {between: [1, 6]}}]\n*/');
  const folder = await smallProject(few);
  const web = await service();
  await web.hold({ 'news-2026-03-02': pagesOf('news.example', 5) });
  expect((await run(folder, web)).status).toBe(0);
  await web.hold({ 'shop-2026-03-02': pagesOf('shop.example', 3) });
  const { status, report } = await run(folder, web);
  expect(status).toBe(4);
  const news = { project: 'news', pages: 5, urls: 5 };
  expect(await rowsOf(folder, PAGES)).toEqual([news]);
  const loaded = report.units.find((one: { dataset: string }) => one.dataset === 'crawl_pages');
  expect(loaded).toMatchObject({ status: 'loaded', error: null });

  const crawl = loaded.source.id;
  const plan = await crawlhouse(folder, null, ['drop', '--crawl', crawl, '--plan', '--json']);
  expect([plan.status, plan.stderr]).toEqual([0, '']);
  expect(JSON.parse(plan.stdout).units).toMatchObject([{ unit: `crawl_pages/${crawl}` }]);
  const gone = await crawlhouse(folder, null, ['drop', '--crawl', crawl, '--yes', '--json']);
  expect(gone.status, gone.stderr).toBe(0);
  expect(JSON.parse(gone.stdout).dropped).toMatchObject([{ unit: `crawl_pages/${crawl}`, rows: 3 }]);
  const after = await run(folder, web);
  expect([after.status, await rowsOf(folder, PAGES)]).toEqual([0, [news]]);
});

test('a dropped quarantined crawl stays out, even if the state is lost', async () => {
  const folder = await smallProject();
  const web = await service();
  await web.hold({ 'shop-2026-03-02': [...pagesOf('shop.example', 2), { url: 'https://shop.example/2' }] });
  const { status, report } = await run(folder, web);
  expect(status).toBe(4);
  const { id } = report.units.find((one: { status: string }) => one.status === 'refused').source;
  const gone = await crawlhouse(folder, null, ['drop', '--crawl', id, '--yes', '--json']);
  expect(gone.status, gone.stderr).toBe(0);
  expect(JSON.parse(gone.stdout).dropped).toMatchObject([{ unit: `crawl_pages/${id}`, rows: null }]);
  expect(await rowsOf(folder, 'FROM ops.holds')).toEqual([]);
  await rm(join(folder, '.crawlhouse'), { recursive: true });
  expect((await run(folder, web)).status).toBe(0);
});

/** State changes of a first run until all four units are loaded: that of the unit that is held comes next. */
const LOADED = 21;

test('killed after a quarantine, a refusal or the rename, a run ends like an undisturbed one', async () => {
  const web = await service();
  await web.hold({
    'shop-2026-03-02': [...pagesOf('shop.example', 2), { url: 'https://shop.example/2' }],
    'news-2026-03-02': pagesOf('news.example', 5),
  });
  const told = async (folder: string) => [
    await rowsOf(folder, PAGES),
    await rowsOf(folder, 'SELECT crawl_id, url FROM mart.model ORDER BY ALL'),
    await rowsOf(folder, 'SELECT unit, status, error_code, error_message FROM ops.units ORDER BY unit'),
    await rowsOf(folder, 'SELECT unit, code, message, content_sha256 FROM ops.holds'),
    await rowsOf(folder, 'SELECT unit, loaded, queryable FROM ops.loads ORDER BY unit'),
  ];
  const undisturbed = await smallProject();
  expect((await run(undisturbed, web)).status).toBe(4);
  const moments = [
    { kind: 'before', n: LOADED },
    { kind: 'after', n: LOADED + 1 },
    { kind: 'before', n: LOADED + 1 },
  ] as const;
  const lasts: unknown[] = [];
  for (const moment of moments) {
    const killed = await smallProject();
    using watch = new LedgerWatch(killed);
    const child = spawnCrawlhouse(killed, web.sandbox, ['run', 'projects', 'crawls', 'crawl_pages']);
    lasts.push((await watch.kill(child, moment))?.to);
    expect((await run(killed, web)).status).toBe(4);
    expect([moment, await told(killed)]).toEqual([moment, await told(undisturbed)]);
  }
  expect(lasts).toEqual(['loaded', 'refused', 'refused']);
});
