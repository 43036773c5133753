import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Database, text } from '../../../../src/core/duckdb/duckdb.ts';
import { lockState } from '../../../../src/core/locks/state-lock.ts';
import { createSchema } from '../../../../src/etl/state/catalog/create-schema.ts';
import { sqliteLedger } from '../../../../src/etl/state/ledger/sqlite/sqlite-ledger.ts';
import { capture, projectFolder, spawned } from '../capture.ts';

const RUN = '01234567-0000-4000-8000-000000000000';
const source = { kind: 'crawl', id: 'c1', project_id: 'p1' } as const;

const status = (folder: string, ...argv: readonly string[]) =>
  capture('status', ...argv, '--project-dir', folder);

/** A project whose ledger has one unit, and a run that says it goes on. */
async function withLedger(startedAt: string): Promise<string> {
  const folder = await projectFolder();
  await using ledger = sqliteLedger(join(folder, '.crawlhouse'));
  await ledger.discoverUnits([{ dataset: 'crawl_pages', source, window: null }]);
  await ledger.startRun(RUN, 'run', startedAt);
  return folder;
}

async function statusOfRun(folder: string): Promise<unknown> {
  const document = JSON.parse((await status(folder, '--json')).stdout) as { runs: { status: string }[] };
  return document.runs[0]?.status;
}

test('a run with a dead process is shown as killed immediately, a live run as running', async () => {
  const folder = await withLedger('2026-11-21T06:00:00.000Z');
  expect(await statusOfRun(folder)).toBe('killed');
  const { stdout } = await status(folder);
  expect(stdout).toMatch(/^ {2}01234567 .* killed /m);
  expect(stdout).toMatch(
    /^Incidents: 1\n {2}since 2026-11-21 06:00 UTC {2}run was cut off\n.*\n {4}to do: .* run continues from there/,
  );
  const later = await projectFolder();
  using _lock = lockState(join(later, '.crawlhouse'), 'crawlhouse run');
  await using ledger = sqliteLedger(join(later, '.crawlhouse'));
  await ledger.startRun(RUN, 'run', new Date(Date.now() + 1).toISOString());
  expect(await statusOfRun(later)).toBe('running');
});

test('a run with a dead process is killed even if another process holds the lock', async () => {
  const folder = await withLedger('2026-11-21T06:00:00.000Z');
  using _lock = lockState(join(folder, '.crawlhouse'), 'crawlhouse transform');
  expect(await statusOfRun(folder)).toBe('killed');
});

test('status of an unknown name is a usage error, as text and as JSON', async () => {
  const folder = await withLedger('2026-11-21T06:00:00.000Z');
  const asText = await status(folder, 'nobody');
  expect([asText.code, asText.stdout]).toEqual([2, '']);
  const asJson = await status(folder, 'nobody', '--json');
  expect([asJson.code, JSON.parse(asJson.stdout)]).toMatchObject([
    2,
    { error: { code: 'usage', message: 'there is no unit, crawl, project or run nobody' } },
  ]);
});

test('status finds a project by its name, as text and as JSON', async () => {
  const folder = await withLedger('2026-11-21T06:00:00.000Z');
  await publishProjects(folder);
  const asText = await status(folder, 'My Shop');
  expect([asText.code, asText.stdout]).toEqual([0, expect.stringContaining('crawl_pages/c1')]);
  const asJson = JSON.parse((await status(folder, 'My Shop', '--json')).stdout);
  expect(asJson.units).toMatchObject([{ unit: 'crawl_pages/c1' }]);
  expect(await status(folder, 'Empty')).toMatchObject({ code: 0, stdout: 'No units yet.\n' });
});

/** A published warehouse that knows the names of two projects. */
async function publishProjects(folder: string): Promise<void> {
  const tempDirectory = join(folder, 'spill');
  await using database = await Database.open({ memoryLimit: '100MB', threads: 1, tempDirectory });
  const connection = await database.connect();
  await connection.run(`ATTACH ${text(join(folder, 'warehouse.duckdb'))} AS warehouse; USE warehouse`);
  await createSchema(connection);
  await connection.run('CREATE SCHEMA IF NOT EXISTS raw');
  await connection.run(
    `CREATE TABLE raw.projects AS SELECT * FROM (VALUES ('p1', 'My Shop', NULL::TIMESTAMPTZ),
     ('p2', 'Empty', NULL)) AS projects (id, name, _seen_to)`,
  );
  await connection.run('USE memory; DETACH warehouse');
}

test('status --watch refreshes until it is interrupted', async () => {
  const folder = await projectFolder();
  let seen = '';
  const { code, stdout, stderr } = await spawned(['status', '--watch', '--project-dir', folder], (child) => {
    child.stdout?.on('data', (piece: Buffer) => {
      seen += String(piece);
      if (seen.split('Nothing is wrong.').length > 2) child.kill('SIGINT');
    });
  });
  expect([code, stderr]).toEqual([130, '']);
  expect(stdout.match(/^Nothing is wrong\.$/gm)?.length).toBeGreaterThan(1);
  const asJson = await status(folder, '--watch', '--json');
  expect([asJson.code, JSON.parse(asJson.stdout).error.code]).toEqual([2, 'usage']);
});

test('status of an unknown project suggests the nearest one', async () => {
  const folder = await withLedger('2026-11-21T06:00:00.000Z');
  await publishProjects(folder);
  expect((await status(folder, 'My Shp')).stderr).toContain('did you mean My Shop?');
});
