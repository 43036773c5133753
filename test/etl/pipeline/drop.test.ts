import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { text } from '../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { drop, planDrop, takeOut } from '../../../src/etl/pipeline/drop.ts';
import { runSession } from '../../../src/etl/pipeline/session.ts';
import { temporaryConnection } from '../../support/temporary.ts';
import { packageProject, signal } from './package-project.ts';

const C1 = { crawls: ['c1'], projects: [], datasets: [] };

test('a drop plan names its units and changes nothing; the drop removes only these', async () => {
  const { make, load, read, settings, stateOf } = await packageProject();
  await load(await make('c1', ['a', 'b']), await make('c2', ['c']));
  expect(await planDrop(settings, C1)).toMatchObject([{ unit: 'crawl_pages/c1', rows: 2 }]);
  expect(await read('SELECT count(*)::INTEGER AS n FROM raw.crawl_pages')).toEqual([{ n: 3 }]);
  const { result, dropped } = await drop(settings, C1, silentLogger, signal);
  expect([result.exitCode, dropped.map(({ unit }) => unit)]).toEqual([0, ['crawl_pages/c1']]);
  expect(await read('SELECT url FROM raw.crawl_pages')).toEqual([{ url: 'c' }]);
  expect([await stateOf('crawl_pages/c1'), await stateOf('crawl_pages/c2')]).toEqual([
    'dropped',
    'published',
  ]);
});

test('without a warehouse there is nothing to drop, and a warehouse of an earlier version cannot be planned', async () => {
  const { make, load, settings, folder } = await packageProject();
  await expect(planDrop(settings, C1)).rejects.toMatchObject({ code: 'nothing_published' });
  await load(await make('c1', ['a']));
  const connection = await temporaryConnection(folder);
  await connection.run(`ATTACH ${text(settings.warehouse)} AS w`);
  await connection.run('UPDATE w.ops.publication SET version = version - 1');
  await connection.run('DETACH w');
  await expect(planDrop(settings, C1)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('an earlier version'),
  });
  await rm(settings.warehouse);
  expect(await planDrop(settings, C1)).toMatchObject([{ unit: 'crawl_pages/c1' }]);
});

test('a drop interrupted before its publication is finished by the same command, and reported as dropped', async () => {
  const { make, load, read, settings, stateOf } = await packageProject();
  await load(await make('c1', ['a', 'b']), await make('c2', ['c']));
  const units = await planDrop(settings, C1);
  const options = { command: 'drop', settings, logger: silentLogger, signal };
  await runSession(options, async (session) => {
    await takeOut(session, units, 'taken out');
    return { units: [], errors: [], yielded: true };
  });
  expect(await read('SELECT count(*)::INTEGER AS n FROM raw.crawl_pages')).toEqual([{ n: 3 }]);
  expect(await stateOf('crawl_pages/c1')).toBe('dropped');
  const { result, dropped } = await drop(settings, C1, silentLogger, signal);
  expect([result.exitCode, dropped]).toEqual([0, units]);
  expect(await read('SELECT url FROM raw.crawl_pages')).toEqual([{ url: 'c' }]);
  await expect(drop(settings, C1, silentLogger, signal)).rejects.toMatchObject({
    message: 'the warehouse has no data of crawl c1',
  });
});
