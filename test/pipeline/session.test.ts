import { stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { CrawlhouseError } from '../../src/core/errors/errors.ts';
import { silentLogger } from '../../src/core/logs/logger.ts';
import { runSession, type SessionOutcome } from '../../src/pipeline/session.ts';
import { type PackageProject, packageProject, signal } from './package-project.ts';

const NOTHING: SessionOutcome = { units: [], errors: [] };

const session = ({ settings }: PackageProject, work: Parameters<typeof runSession>[1]) =>
  runSession({ command: 'run', settings, logger: silentLogger, signal }, work);

test('the first session publishes, and one without anything new leaves the file alone', async () => {
  const project = await packageProject();
  expect(await session(project, async () => NOTHING)).toMatchObject({
    exitCode: 0,
    report: { status: 'done' },
  });
  const { ino } = await stat(project.settings.warehouse);
  await session(project, async () => NOTHING);
  expect((await stat(project.settings.warehouse)).ino).toBe(ino);
});

test('work that throws is the result of the session, which the ledger keeps', async () => {
  const project = await packageProject();
  const { exitCode, errors } = await session(project, async ({ ledger, runId }) => {
    expect((await ledger.runs())[0]).toMatchObject({ run_id: runId, status: 'running' });
    throw new CrawlhouseError('contract_broken', 'no');
  });
  expect([exitCode, errors.map(({ code }) => code)]).toEqual([4, ['contract_broken']]);
});

test('a damaged working copy is taken anew, and the work begins again once', async () => {
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

test('a session that yields publishes nothing: whoever comes next does', async () => {
  const project = await packageProject();
  const result = await session(project, async () => ({ ...NOTHING, yielded: true }));
  expect(result.yielded).toBe(true);
  await expect(stat(project.settings.warehouse)).rejects.toMatchObject({ code: 'ENOENT' });
});
