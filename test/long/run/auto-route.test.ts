import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { type Connection, text } from '../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { reportPlan } from '../../../src/etl/pipeline/plan.ts';
import type { RunRequest } from '../../../src/etl/pipeline/run.ts';
import { loadPipelines } from '../../../src/etl/project/settings/pipelines.ts';
import { FILE_OPTIONS } from '../../../src/etl/state/catalog/schema.ts';
import type { Sandbox } from '../../../src/service/sandbox/start-sandbox.ts';
import { DataExportDesk } from '../../support/data-exports.ts';
import {
  differences,
  environmentOf,
  published,
  type RunOptions,
  rawProjectFolder,
  runProject,
  sandboxFor,
  setFaults,
} from '../../support/project.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const PAGES = { pipelines: ['crawl_pages'] } as const;
const LOADS =
  'SELECT loaded, route, format, reason, waited > 0 AS waited FROM ops.loads ORDER BY loaded DESC';

/** A large and a small crawl of two projects that came by the stream, which the past says gives one row a second. */
async function slowPast() {
  const sandbox = await sandboxFor({
    generate: ['pages=2000,columns=20,seed=3', 'pages=12,columns=20,seed=4'],
  });
  const folder = await rawProjectFolder();
  const connection = await temporaryConnection(await temporaryFolder());
  const first = await runProject(folder, sandbox, PAGES);
  expect(first.errors).toEqual([]);
  const before = await published(connection, folder, LOADS);
  await slowDown(connection, folder);
  return { sandbox, folder, connection, before };
}

/** Past loads of a million rows, because those of a test are too small to count. */
async function slowDown(connection: Connection, folder: string): Promise<void> {
  const path = text(join(folder, 'warehouse.duckdb'));
  await connection.run(`ATTACH ${path} AS slow (${FILE_OPTIONS})`);
  await connection.run('UPDATE slow.ops.loads SET received = 1000000, seconds = 1000000');
  await connection.run('DETACH slow');
  // The next run takes a new working copy.
  await rm(join(folder, '.crawlhouse'), { recursive: true });
}

async function planOf(folder: string, sandbox: Sandbox, override: Partial<RunRequest['override']> = {}) {
  const settings = await loadSettings(folder, environmentOf(sandbox));
  const pipelines = (await loadPipelines(folder)).filter(({ dataset }) => dataset === 'crawl_pages');
  const all = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
  const request: RunRequest = {
    command: 'backfill',
    pipelines,
    selection: { projects: 'all', crawls: null, ...all },
    override: { route: null, format: null, store: null, ...override },
    reload: true,
  };
  const { units, totals } = await reportPlan(settings, request, silentLogger, new AbortController().signal);
  const bySize = units.toSorted((a, b) => Number(b.rows) - Number(a.rows));
  return {
    exports: totals.exports,
    units: bySize.map(({ rows, route, format, reason }) => ({
      rows,
      route,
      format,
      reason: reason.replace('loaded again; ', ''),
    })),
  };
}

const reload: RunOptions = { ...PAGES, command: 'backfill', reload: true };

test('a large unit selects the data export, a small one the stream, as planned, with the same rows', async () => {
  const { sandbox, folder, connection, before } = await slowPast();
  const soon =
    /^stream: .* rows, in less time than the wait for a data export, about 2 min \(no past loads\); JSON, /;
  expect(before).toMatchObject([
    { loaded: '2000', route: 'stream', format: 'json', reason: expect.stringMatching(soon), waited: null },
    { loaded: '12', route: 'stream', format: 'json', reason: expect.stringMatching(soon), waited: null },
  ]);
  const streamed = await rawProjectFolder();
  await runProject(streamed, sandbox, { ...PAGES, route: 'stream' });

  const plan = await planOf(folder, sandbox);
  const past = 'by the stream (1 past load, none by a data export)';
  expect(plan).toMatchObject({
    exports: 1,
    units: [
      {
        rows: 2000,
        route: 'export',
        format: 'parquet',
        reason: `export in Parquet: 2,000 rows, about 2 min, compared with 33 min ${past}`,
      },
      { rows: 12, route: 'stream', format: 'json', reason: expect.stringMatching(/^stream: 12 rows, /) },
    ],
  });
  expect((await runProject(folder, sandbox, reload)).errors).toEqual([]);
  const after = await published(connection, folder, LOADS);
  expect(
    after.map(({ loaded, route, format, reason }) => ({ rows: Number(loaded), route, format, reason })),
  ).toEqual(plan.units);
  expect(after.map(({ waited }) => waited)).toEqual([true, null]);
  expect(await new DataExportDesk(sandbox).asked()).toBe(1);
  expect(await differences(connection, streamed, folder, 'crawl_pages')).toBe(0n);
});

test('an explicit route is used, whatever the past', async () => {
  const { sandbox, folder } = await slowPast();
  for (const route of ['stream', 'export'] as const) {
    const plan = await planOf(folder, sandbox, { route });
    expect(plan.units.map((unit) => unit.route)).toEqual([route, route]);
    expect(plan.units.every(({ reason }) => reason.startsWith('as requested'))).toBe(true);
  }
});

test('if the service refuses the data export, the unit uses the stream, with a note', async () => {
  const { sandbox, folder, connection } = await slowPast();
  await setFaults(sandbox, [
    { match: { method: 'POST', path: '/data_exports' }, kind: 'status', status: 403 },
  ]);
  expect((await runProject(folder, sandbox, reload)).errors).toEqual([]);
  const [large] = await published(connection, folder, LOADS);
  expect(large).toMatchObject({
    loaded: '2000',
    route: 'stream',
    reason: expect.stringMatching(/^export was refused: .* 403/),
  });
});

test('a data export requested by a killed run is reused, even if the stream is faster by then', async () => {
  const { sandbox, folder, connection } = await slowPast();
  const desk = new DataExportDesk(sandbox);
  // As after a kill: the data export is requested, and nobody has waited for it.
  const ended = new AbortController();
  const progress = (said: string): void => {
    if (/data export/.test(said)) ended.abort(new Error('killed'));
  };
  await runProject(folder, sandbox, { ...reload, signal: ended.signal, progress }).catch(() => {});
  expect(await desk.asked()).toBe(1);
  // As if other units had been loaded quickly since.
  const path = text(join(folder, 'warehouse.duckdb'));
  await connection.run(`ATTACH ${path} AS quick (${FILE_OPTIONS})`);
  await connection.run('UPDATE quick.ops.loads SET seconds = 1');
  await connection.run('DETACH quick');
  for (const name of ['work.duckdb', 'work.duckdb.wal'])
    await rm(join(folder, '.crawlhouse', name), { force: true });
  const why = 'an earlier attempt has requested this data export';
  expect((await planOf(folder, sandbox)).units[0]).toMatchObject({ route: 'export', reason: why });
  expect((await runProject(folder, sandbox, reload)).errors).toEqual([]);
  expect(await published(connection, folder, LOADS)).toMatchObject([
    { loaded: '2000', route: 'export', reason: why, waited: null },
    { loaded: '12', route: 'stream' },
  ]);
  expect(await desk.asked()).toBe(1);
});
