import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settingsIn } from '../../../../src/app/cli/commands/move.ts';
import { moveWarehouse } from '../../../../src/app/operations/move/move-warehouse.ts';
import type { CrawlhouseError } from '../../../../src/core/errors/errors.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { compareMoved } from '../../../../src/etl/engines/moved-units.ts';
import { engineKind } from '../../../../src/etl/engines/registry.ts';
import { readPublished } from '../../../../src/etl/state/catalog/published/read-published.ts';
import {
  PAGES_MODEL,
  type PackageProject,
  packageProject,
  signal,
} from '../../../etl/pipeline/package-project.ts';
import { errorOf } from '../../../support/error-of.ts';
import { IN_DUCKDB } from '../../../support/in-duckdb.ts';

// From a file to a file: the session, the units and the records are those of every move. Trino: test/trino/move.test.ts

const target = ({ settings }: PackageProject) =>
  settingsIn(engineKind(IN_DUCKDB), settings, 'other.duckdb', {});

const moved = async (project: PackageProject) => {
  const { result, tables } = await moveWarehouse({
    from: project.settings,
    to: await target(project),
    logger: silentLogger,
    signal,
  });
  return { errors: result.errors, units: result.report.units.map(({ unit }) => unit), tables };
};

test('each unit is moved with its record, models are built again, and a second move does nothing', async () => {
  const project = await packageProject(PAGES_MODEL);
  await project.load(await project.make('c1', ['a', 'b']), await project.make('c2', ['c']));
  const tables = [
    { name: 'mart.page_urls', units: null, rows: 3n },
    { name: 'raw.crawl_pages', units: 2, rows: 3n },
  ];
  expect(await moved(project)).toEqual({ errors: [], units: ['crawl_pages/c1', 'crawl_pages/c2'], tables });
  const loads = 'SELECT * EXCLUDE (queryable), queryable FROM ops.loads ORDER BY unit';
  const read = (settings: PackageProject['settings']) =>
    readPublished(settings, (connection) => connection.jsonRows(loads));
  expect(await read(await target(project))).toEqual(await read(project.settings));
  expect(await moved(project)).toEqual({ errors: [], units: [], tables });
});

test('a unit that was reloaded since is moved again', async () => {
  const project = await packageProject();
  await project.load(await project.make('c1', ['a']), await project.make('c2', ['c']));
  await moved(project);
  await project.load(await project.make('c1', ['a', 'b']));
  expect((await errorOf(compareMoved(project.settings, await target(project), signal))).message).toBe(
    'crawl_pages/c1 in raw.crawl_pages: 2 rows before, 1 after',
  );
  expect(await moved(project)).toEqual({
    errors: [],
    units: ['crawl_pages/c1'],
    tables: [{ name: 'raw.crawl_pages', units: 2, rows: 3n }],
  });
});

test('a target with units of another warehouse is refused, and so is a missing source', async () => {
  const [project, other] = [await packageProject(), await packageProject()];
  expect(await errorOf(moved(project))).toMatchObject({ code: 'nothing_published' });
  await project.load(await project.make('c1', ['a']));
  await other.load(await other.make('c9', ['a']));
  const to = { ...(await target(project)), warehouse: join(other.folder, 'warehouse.duckdb') };
  const { result } = await moveWarehouse({ from: project.settings, to, logger: silentLogger, signal });
  expect(result.errors.map(({ code, message }) => [code, message])).toEqual([
    ['usage', 'another warehouse is already there: it has crawl_pages/c9'],
  ]);
});

test('a move changes nothing else in the source until both sides are counted', async () => {
  const project = await packageProject();
  await project.load(await project.make('c1', ['a']));
  const next = await project.make('c2', ['b', 'c']);
  const moving = moved(project);
  const ended = moving.then(() => true);
  const refused: string[] = [];
  for (;;) {
    const code = await project.load(next).then(
      () => 'loaded',
      (error: CrawlhouseError) => error.code,
    );
    if (await Promise.race([ended, Promise.resolve(false)])) break;
    refused.push(code);
  }
  expect(new Set(refused)).toEqual(new Set(['locked']));
  expect((await moving).tables[0]?.rows).toBe(1n);
});
