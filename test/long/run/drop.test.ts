import { appendFile, copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { text } from '../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { drop } from '../../../src/etl/pipeline/drop.ts';
import type { Sandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { crawlhouse, published, rawProjectFolder, runProject, sandboxFor } from '../../support/project.ts';
import { temporaryConnection } from '../../support/temporary.ts';
import { toVersion9 } from '../../support/to-version-9.ts';

const LISTS = ['projects', 'crawls'];
const DATA = ['crawl_pages', 'crawl_links'];

async function houseOf(generate: string): Promise<{ folder: string; sandbox: Sandbox }> {
  return { folder: await rawProjectFolder(), sandbox: await sandboxFor({ generate: [generate] }) };
}

async function publishedRows(folder: string, sql: string): Promise<Record<string, unknown>[]> {
  using connection = await temporaryConnection(folder);
  return await published(connection, folder, sql);
}

/** The crawls whose rows are there, the oldest end first. */
async function crawlsIn(folder: string, dataset: string): Promise<unknown[]> {
  const rows = await publishedRows(
    folder,
    `SELECT DISTINCT d._crawl_id AS id, c.ended_at FROM raw.${dataset} AS d
     JOIN raw.crawls AS c ON c.id = d._crawl_id ORDER BY c.ended_at`,
  );
  return rows.map((row) => row.id);
}

const load = (folder: string, sandbox: Sandbox) =>
  runProject(folder, sandbox, { pipelines: [...LISTS, ...DATA] });

test('dropped units leave in one publication, stay out of later runs, and return when they are named', async () => {
  const { folder, sandbox } = await houseOf('projects=1,crawls=2,pages=30,links=60,columns=10,seed=91');
  expect((await load(folder, sandbox)).exitCode).toBe(0);
  const [first, second] = await crawlsIn(folder, 'crawl_pages');

  const plan = await crawlhouse(folder, null, ['drop', '--crawl', String(first), '--plan', '--json']);
  expect(JSON.parse(plan.stdout).totals).toEqual({ units: 2, rows: 90 });
  expect(await crawlsIn(folder, 'crawl_pages')).toEqual([first, second]);

  const gone = await crawlhouse(folder, null, ['drop', '--crawl', String(first), '--yes', '--json']);
  expect(gone.status, gone.stderr).toBe(0);
  expect(JSON.parse(gone.stdout)).toMatchObject({
    status: 'done',
    dropped: [
      { unit: `crawl_links/${first}`, rows: 60 },
      { unit: `crawl_pages/${first}`, rows: 30 },
    ],
  });
  for (const dataset of DATA) expect(await crawlsIn(folder, dataset)).toEqual([second]);
  const said = `SELECT unit, status, error_code FROM ops.units WHERE source_id = '${first}' ORDER BY unit`;
  expect(await publishedRows(folder, said)).toEqual([
    { unit: `crawl_links/${first}`, status: 'dropped', error_code: 'dropped' },
    { unit: `crawl_pages/${first}`, status: 'dropped', error_code: 'dropped' },
  ]);
  expect(await publishedRows(folder, `SELECT * FROM ops.loads WHERE source_id = '${first}'`)).toEqual([]);

  const window = ['--from', '2000-01-01', '--to', '2100-01-01', '--plan', '--json'];
  const planned = async (...more: string[]) =>
    JSON.parse((await crawlhouse(folder, sandbox, ['backfill', ...DATA, ...window, ...more])).stdout).totals;
  expect(await planned()).toMatchObject({ units: 0, loaded: 2, skipped: 2 });
  expect(await planned('--crawl', String(first))).toMatchObject({ units: 2, skipped: 0 });
  // Neither the next run nor a backfill over all time, nor one that has lost its state, asks for it.
  await load(folder, sandbox);
  await runProject(folder, sandbox, { command: 'backfill', pipelines: DATA });
  await rm(join(folder, '.crawlhouse'), { recursive: true });
  await load(folder, sandbox);
  expect(await crawlsIn(folder, 'crawl_pages')).toEqual([second]);

  const back = await crawlhouse(folder, sandbox, ['run', 'crawl_pages', '--crawl', String(first), '--json']);
  expect(back.status, back.stderr).toBe(0);
  expect(await crawlsIn(folder, 'crawl_pages')).toEqual([first, second]);
  expect(await crawlsIn(folder, 'crawl_links')).toEqual([second]);
  await runProject(folder, sandbox, { command: 'backfill', pipelines: DATA, reload: true });
  expect(await crawlsIn(folder, 'crawl_links')).toEqual([first, second]);
});

test('a drop killed before the ledger records it stays a drop', async () => {
  const { folder, sandbox } = await houseOf('projects=1,crawls=1,pages=10,columns=10,seed=92');
  await load(folder, sandbox);
  const settings = await loadSettings(folder, {});
  const [crawl] = await crawlsIn(folder, 'crawl_pages');
  const request = { crawls: [String(crawl)], projects: [], datasets: ['crawl_pages'] };
  // What a kill leaves: the working copy has it, ledger and publication have not.
  const at = (name: string): string => join(folder, name);
  for (const name of ['.crawlhouse/ledger.sqlite', 'warehouse.duckdb'])
    await copyFile(at(name), at(`${name}.former`));
  const failing = {
    ...silentLogger,
    info: (message: string) => {
      if (message === 'dropped') throw new Error('killed here');
    },
  };
  await expect(async () => {
    const { result } = await drop(
      settings,
      request,
      { ...failing, with: () => failing },
      new AbortController().signal,
    );
    if (result.exitCode !== 0) throw new Error(String(result.errors[0]));
  }).rejects.toThrow('killed here');
  await copyFile(at('.crawlhouse/ledger.sqlite.former'), at('.crawlhouse/ledger.sqlite'));
  const { exitCode } = await load(folder, sandbox);
  expect(exitCode).toBe(0);
  expect(await crawlsIn(folder, 'crawl_pages')).toEqual([]);
});

test('a drop upgrades a warehouse of an earlier version; its plan reports that it cannot read it yet', async () => {
  const { folder, sandbox } = await houseOf('projects=1,crawls=1,pages=10,columns=10,seed=97');
  await load(folder, sandbox);
  const [crawl] = await crawlsIn(folder, 'crawl_pages');
  {
    using connection = await temporaryConnection(folder);
    await connection.run(`ATTACH ${text(join(folder, 'warehouse.duckdb'))} AS old`);
    await toVersion9(connection, 'old');
    await connection.run('DROP TABLE old.ops.holds');
    // The last version without `ops.holds`.
    await connection.run('UPDATE old.ops.publication SET version = 7');
    await connection.run('DETACH old');
  }
  await rm(join(folder, '.crawlhouse'), { recursive: true });
  const args = ['drop', '--crawl', String(crawl)];
  const plan = await crawlhouse(folder, null, [...args, '--plan']);
  expect([plan.status, plan.stderr]).toEqual([
    2,
    expect.stringContaining('was written by an earlier version of crawlhouse'),
  ]);
  expect((await crawlhouse(folder, null, [...args, '--yes'])).status).toBe(0);
  expect(await crawlsIn(folder, 'crawl_pages')).toEqual([]);
});

test('drop accepts a project name, optionally with a dataset', async () => {
  const { folder, sandbox } = await houseOf('projects=2,crawls=1,pages=10,links=20,columns=10,seed=93');
  await load(folder, sandbox);
  const [project] = await publishedRows(folder, 'SELECT id, name FROM raw.projects ORDER BY name');
  const { status, stdout } = await crawlhouse(folder, null, [
    'drop',
    '--project',
    String(project?.name),
    '--dataset',
    'crawl_links',
    '--yes',
  ]);
  expect([status, stdout]).toEqual([0, expect.stringContaining('1 unit with 20 rows dropped\n')]);
  expect(await crawlsIn(folder, 'crawl_links')).toHaveLength(1);
  expect(await crawlsIn(folder, 'crawl_pages')).toHaveLength(2);
});

test('a drop of unknown units is a usage error, and changes nothing', async () => {
  const { folder, sandbox } = await houseOf('projects=1,crawls=1,pages=5,columns=10,seed=94');
  await load(folder, sandbox);
  for (const [args, message] of [
    [['drop'], 'name the crawls or projects to drop'],
    [['drop', '--crawl', 'nowhere'], 'the warehouse has no data of crawl nowhere'],
    [['drop', '--project', 'nobody'], 'the warehouse has no data of project nobody'],
  ] as const) {
    const { status, stderr } = await crawlhouse(folder, null, args);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  }
  expect(await crawlsIn(folder, 'crawl_pages')).toHaveLength(1);
});

test('keep: {crawls: N} loads and retains the last N crawls of a project; a named crawl also stays', async () => {
  const { folder, sandbox } = await houseOf('projects=1,crawls=4,pages=10,columns=10,seed=95');
  await load(folder, sandbox);
  const all = await crawlsIn(folder, 'crawl_pages');
  const pages = join(folder, 'pipelines', 'crawl_pages.yaml');
  await appendFile(pages, '\nkeep: { crawls: 2 }\n');
  await load(folder, sandbox);
  expect(await crawlsIn(folder, 'crawl_pages')).toEqual(all.slice(2));
  const dropped = `SELECT error_message AS why FROM ops.units WHERE status = 'dropped'`;
  expect(await publishedRows(folder, dropped)).toEqual([
    { why: 'beyond the last 2 crawls (keep)' },
    { why: 'beyond the last 2 crawls (keep)' },
  ]);

  await crawlhouse(folder, sandbox, ['run', 'crawl_pages', '--crawl', String(all[0])]);
  expect(await crawlsIn(folder, 'crawl_pages')).toEqual([all[0], ...all.slice(2)]);
  await load(folder, sandbox);
  expect(await crawlsIn(folder, 'crawl_pages')).toEqual([all[0], ...all.slice(2)]);
});

test('a first run with keep requests only crawls within keep', async () => {
  const { folder, sandbox } = await houseOf('projects=2,crawls=3,pages=10,columns=10,seed=96');
  await appendFile(join(folder, 'pipelines', 'crawl_pages.yaml'), '\nkeep: { crawls: 1 }\n');
  const { report } = await runProject(folder, sandbox, { pipelines: [...LISTS, 'crawl_pages'] });
  expect(report.units.filter((one) => one.dataset === 'crawl_pages')).toHaveLength(2);
  expect(await crawlsIn(folder, 'crawl_pages')).toHaveLength(2);
});
