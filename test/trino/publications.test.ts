import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { loadSettings } from '../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { RelationNames } from '../../src/etl/engines/trino/client/relation-names.ts';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { drop } from '../../src/etl/pipeline/drop.ts';
import { runSession } from '../../src/etl/pipeline/session.ts';
import { PAGES_MODEL, packageProject, signal } from '../etl/pipeline/package-project.ts';
import { startKillingProxy } from '../support/killing-proxy.ts';
import { crawlhouse, crawlhouseProcess } from '../support/project.ts';
import { ALL_ROUNDS, roundSeed } from '../support/random.ts';
import { bucketCredentials, trinoSettings } from '../support/trino-settings.ts';

const trino = inject('trino');
const client = new TrinoClient({ url: trino.url, user: 'test', catalog: trino.catalog });
beforeAll(() => {
  Object.assign(process.env, bucketCredentials(trino));
});
afterAll(() => client[Symbol.asyncDispose]());

/** A view over the model, so that readers' views depend on each other. */
const COUNT_MODEL = `/*
name: mart.a_count
kind: view
description: How many URLs there are.
grain: null
columns: {n: Their number.}
*/
SELECT count(*) AS n FROM mart.page_urls
`;
/** The same pages, by partition. */
const PARTITIONED = `/*
name: mart.by_crawl
kind: table
description: The URLs of each crawl.
grain: [_crawl_id, url]
columns: {_crawl_id: The crawl., url: The URL.}
reads:
  raw.crawl_pages: {_crawl_id: VARCHAR, url: VARCHAR}
incremental:
  by: _crawl_id
  partitions: SELECT source_id AS _crawl_id, loaded_at FROM ops.loads WHERE dataset = 'crawl_pages'
*/
SELECT _crawl_id, url FROM raw.crawl_pages
`;
const MODELS = { ...PAGES_MODEL, 'sql/mart/a_count.sql': COUNT_MODEL, 'sql/mart/by_crawl.sql': PARTITIONED };

async function trinoProject() {
  const prefix = `p${randomUUID().slice(0, 8)}_`;
  const names = new RelationNames(prefix);
  const made = await packageProject({ ...MODELS, 'crawlhouse.yaml': trinoSettings(trino, prefix) });
  /** The pages that readers see: of the table, of each model, and how many the view counts. */
  const seen = async (): Promise<string[]> => {
    const lists = ['raw.crawl_pages', 'mart.page_urls', 'mart.by_crawl'].map(
      (relation) =>
        `(SELECT array_join(array_agg(_crawl_id || url ORDER BY _crawl_id, url), ' ') FROM ${names.reader(relation)})`,
    );
    const [row] = await client.rows(
      `SELECT ${lists.map((list, index) => `${list} AS c${index}`).join(', ')},
         (SELECT CAST(n AS varchar) FROM ${names.reader('mart.a_count')}) AS n`,
    );
    return Object.values(row ?? {}).map((value) => String(value ?? ''));
  };
  const all = (pages: string): string[] => [pages, pages, pages, String(pages.split(' ').length)];
  const transform = (full = false) =>
    runSession(
      { command: 'transform', settings: made.settings, logger: silentLogger, signal, full },
      async () => ({ units: [], errors: [] }),
    );
  return { ...made, names, prefix, seen, all, transform };
}

test('a failed data test without a guilty unit keeps the previous publication', async () => {
  const { folder, make, load, seen, all, transform } = await trinoProject();
  await load(await make('c1', ['a']));
  const file = join(folder, 'sql', 'mart', 'a_count.sql');
  await writeFile(
    file,
    COUNT_MODEL.replace('*/', 'tests:\n  - row_count: {between: [5, 9]}\n*/').replace(
      'count(*) AS n',
      'count(*) + 1 AS n',
    ),
  );
  const { exitCode, report } = await load(await make('c2', ['b']));
  expect([exitCode, report.status]).toEqual([4, 'refused']);
  expect(report.tests.filter(({ status }) => status === 'failed').map(({ model }) => model)).toEqual([
    'mart.a_count',
  ]);
  expect(await seen()).toEqual(all('c1a'));
  // What was loaded is there once the test passes.
  await writeFile(file, COUNT_MODEL);
  expect((await transform()).exitCode).toBe(0);
  expect(await seen()).toEqual(all('c1a c2b'));
});

test('a model outside of the portable subset is reported with its line, before anything is built', async () => {
  const { folder, make, load } = await trinoProject();
  await writeFile(
    join(folder, 'sql', 'mart', 'a_count.sql'),
    COUNT_MODEL.replace('FROM mart.page_urls', 'FROM mart.page_urls\nQUALIFY row_number() OVER () = 1'),
  );
  const { errors } = await load(await make('c1', ['a']));
  expect(errors.map(({ code, message, hint }) => [code, message, hint])).toEqual([
    [
      'bad_model',
      expect.stringMatching(/sql\/mart\/a_count\.sql:9: does not run on Trino: no QUALIFY/),
      'write WHERE around a subquery with the window',
    ],
  ]);
});

test('a removed model disappears with the next publication, and all others are rebuilt on request', async () => {
  const { folder, make, load, names, transform } = await trinoProject();
  await load(await make('c1', ['a']));
  await rm(join(folder, 'sql', 'mart', 'a_count.sql'));
  await rm(join(folder, 'sql', 'mart', 'by_crawl.sql'));
  const { exitCode, report } = await transform(true);
  expect([exitCode, report.models.map(({ name, status, rows }) => [name, status, rows])]).toEqual([
    0,
    [['mart.page_urls', 'built', 1]],
  ]);
  const found = await client.rows(
    `SELECT table_name FROM information_schema.tables WHERE table_schema = '${names.schema('mart').replaceAll('"', '')}'`,
  );
  expect(found).toEqual([{ table_name: 'page_urls' }]);
});

test('without the state directory, the next run continues from what Trino shows', async () => {
  const { make, load, seen, all, settings, transform } = await trinoProject();
  await load(await make('c1', ['a']), await make('c2', ['b']));
  await rm(settings.state_dir, { recursive: true });
  const { exitCode, report } = await transform();
  expect([exitCode, report.models.filter(({ status }) => status !== 'unchanged')]).toEqual([0, []]);
  await load(await make('c2', ['c']));
  expect(await seen()).toEqual(all('c1a c2c'));
});

test('units of another warehouse are not mixed up with those of this one', async () => {
  const { folder, make, load, seen, all } = await trinoProject();
  await load(await make('c1', ['a']));
  await writeFile(join(folder, 'crawlhouse.yaml'), trinoSettings(trino, `q${randomUUID().slice(0, 8)}_`));
  const ran = await crawlhouse(folder, null, ['transform'], bucketCredentials(trino));
  expect(ran.status).not.toBe(0);
  expect(ran.stderr).toContain('the state directory has units of another warehouse');
  expect(await seen()).toEqual(all('c1a'));
});

test('invisible rows are removed once a day', async () => {
  const { make, load, names, settings, seen, all, transform } = await trinoProject();
  await load(await make('c1', ['a', 'b']));
  await load(await make('c1', ['c']));
  const stored = () => client.scalar(`SELECT count(*) FROM ${names.stored('raw.crawl_pages')}`);
  await transform();
  expect(await stored()).toBe(3n);
  await utimes(join(settings.state_dir, 'engine', 'tidied'), 0, 0);
  await transform();
  expect([await stored(), await seen()]).toEqual([1n, all('c1c')]);
});

const KILLS = [
  ['between a load and its pointer', /^INSERT INTO \S+candidate VALUES .*'raw\.crawl_pages'/s, 'before'],
  ['while a model is built', /^INSERT INTO \S+"mart_page_urls"/, 'after'],
  ['before Trino publishes', /^MERGE INTO \S+visible .* AS wanted/s, 'before'],
  [
    'between the publication in Trino and that of the catalog',
    /^MERGE INTO \S+visible .* AS wanted/s,
    'after',
  ],
] as const;
/** Two a day; a night takes all. */
const ofToday = KILLS.filter((_, index) => ALL_ROUNDS || index % 2 === roundSeed() % 2);

test.each(ofToday)('a run killed %s is completed by the next one', async (_, at, when) => {
  const { folder, prefix, make, load, seen, all, transform } = await trinoProject();
  await load(await make('c1', ['a']));
  const second = await make('c1', ['a', 'b']);
  const child: { process?: ReturnType<typeof crawlhouseProcess> } = {};
  await using proxy = await startKillingProxy(trino.url, {
    at,
    when,
    kill: () => void child.process?.kill('SIGKILL'),
  });
  await writeFile(join(folder, 'crawlhouse.yaml'), trinoSettings({ ...trino, url: proxy.url }, prefix));
  child.process = crawlhouseProcess(folder, ['load', second], bucketCredentials(trino));
  onTestFinished(() => void child.process?.kill('SIGKILL'));
  child.process.stderr.resume();
  child.process.stdout.resume();
  await once(child.process, 'exit');
  expect([proxy.hasKilled(), child.process.signalCode]).toEqual([true, 'SIGKILL']);
  const isShown = when === 'after' && at.source.includes('visible');
  expect(await seen()).toEqual(all(isShown ? 'c1a c1b' : 'c1a'));
  await writeFile(join(folder, 'crawlhouse.yaml'), trinoSettings(trino, prefix));
  expect((await transform()).exitCode).toBe(0);
  if ((await seen())[0] === 'c1a') await load(second);
  expect(await seen()).toEqual(all('c1a c1b'));
  const settings = await loadSettings(folder, {});
  const { result } = await drop(
    settings,
    { crawls: ['c1'], projects: [], datasets: [] },
    silentLogger,
    signal,
  );
  expect(result.exitCode).toBe(0);
});
