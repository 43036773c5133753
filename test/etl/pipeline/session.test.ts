import { stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { CrawlhouseError } from '../../../src/core/errors/errors.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { takeOut } from '../../../src/etl/pipeline/drop.ts';
import { runSession, type SessionOutcome } from '../../../src/etl/pipeline/session.ts';
import type { Session } from '../../../src/etl/pipeline/unit/contexts.ts';
import { warehouseUnits } from '../../../src/etl/state/catalog/drop-targets.ts';
import { type PackageProject, packageProject, signal } from './package-project.ts';

const NOTHING: SessionOutcome = { units: [], errors: [] };

const session = ({ settings }: PackageProject, work: Parameters<typeof runSession>[1]) =>
  runSession({ command: 'run', settings, logger: silentLogger, signal }, work);

/** Leaves the working copy without units, which the published file has. */
async function dropAll(own: Session): Promise<void> {
  await takeOut(own, [...(await warehouseUnits(own.working.connection)).values()], 'dropped');
}

test('the first session publishes, and a session without changes leaves the file unchanged', async () => {
  const project = await packageProject();
  expect(await session(project, async () => NOTHING)).toMatchObject({
    exitCode: 0,
    report: { status: 'done' },
  });
  const { ino } = await stat(project.settings.warehouse);
  await session(project, async () => NOTHING);
  expect((await stat(project.settings.warehouse)).ino).toBe(ino);
});

test('a failure of the work is the result of the session, which the ledger records', async () => {
  const project = await packageProject();
  const { exitCode, errors } = await session(project, async ({ ledger, runId }) => {
    expect((await ledger.runs())[0]).toMatchObject({ run_id: runId, status: 'running' });
    throw new CrawlhouseError('contract_broken', 'no');
  });
  expect([exitCode, errors.map(({ code }) => code)]).toEqual([4, ['contract_broken']]);
});

test('a damaged working copy is restored, and the work starts again once', async () => {
  const project = await packageProject();
  await project.load(await project.make('c1', ['a']));
  const turns: unknown[] = [];
  const { errors } = await session(project, async ({ working }) => {
    turns.push(await working.connection.scalar('SELECT count(*) FROM raw.crawl_pages'));
    return { ...NOTHING, errors: [new CrawlhouseError('damaged_warehouse', 'a bad block')] };
  });
  expect(turns).toEqual([1n, 1n]);
  expect(errors.map(({ code }) => code)).toEqual(['damaged_warehouse']);
});

test('a working copy that lost rows of a load is not published, but restored', async () => {
  const project = await packageProject();
  await project.load(await project.make('c1', ['a', 'b']));
  let turns = 0;
  const { exitCode, report } = await session(project, async ({ working }) => {
    // Such as after a recovery of the database that lost a commit.
    if (++turns === 1) await working.connection.run("DELETE FROM raw.crawl_pages WHERE url = 'b'");
    await working.markDirty();
    return NOTHING;
  });
  expect([turns, exitCode, report.healed]).toEqual([
    2,
    0,
    [
      'raw.crawl_pages: 2 rows loaded in total, but 1 queryable; ' +
        'the working copy was made again from the published warehouse',
    ],
  ]);
  expect(await project.read('SELECT count(*)::INTEGER AS n FROM raw.crawl_pages')).toEqual([{ n: 2 }]);
});

test('unpublished units of an earlier process are published before the work of a session', async () => {
  const project = await packageProject();
  await project.load(await project.make('c1', ['a']));
  const rows = () => project.read('SELECT count(*)::INTEGER AS n FROM raw.crawl_pages');
  await session(project, async (own) => {
    await dropAll(own);
    return { ...NOTHING, yielded: true };
  });
  expect(await rows()).toEqual([{ n: 1 }]);
  const { errors } = await session(project, async ({ working }) => {
    expect([(await working.publication()).dirty, await rows()]).toEqual([false, [{ n: 0 }]]);
    throw new CrawlhouseError('usage', 'nothing to do');
  });
  expect(errors.map(({ code }) => code)).toEqual(['usage']);
});

test('unpublished work that cannot be published does not block a repair', async () => {
  const project = await packageProject();
  const folder = await project.make('c1', ['a']);
  await project.load(folder);
  await session(project, async ({ working }) => {
    await working.connection.run('DELETE FROM raw.crawl_pages');
    await working.markDirty();
    return { ...NOTHING, yielded: true };
  });
  expect((await project.load(folder)).exitCode).toBe(0);
  expect(await project.read('SELECT count(*)::INTEGER AS n FROM raw.crawl_pages')).toEqual([{ n: 1 }]);
});

test('an interrupted session publishes loaded units', async () => {
  const project = await packageProject();
  await project.load(await project.make('c1', ['a']));
  const interruption = new AbortController();
  const options = { command: 'run', settings: project.settings, logger: silentLogger };
  const { exitCode, errors } = await runSession({ ...options, signal: interruption.signal }, async (own) => {
    await dropAll(own);
    interruption.abort(new CrawlhouseError('interrupted', 'interrupted by SIGINT'));
    return NOTHING;
  });
  expect([exitCode, errors.map(({ code }) => code)]).toEqual([130, ['interrupted']]);
  expect(await project.read('SELECT count(*)::INTEGER AS n FROM raw.crawl_pages')).toEqual([{ n: 0 }]);
});

test('a session that yields leaves its publication to the next process', async () => {
  const project = await packageProject();
  const result = await session(project, async () => ({ ...NOTHING, yielded: true }));
  expect(result.yielded).toBe(true);
  await expect(stat(project.settings.warehouse)).rejects.toMatchObject({ code: 'ENOENT' });
});
