import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settingsInDuckDb } from '../../src/config/move-target.ts';
import { silentLogger } from '../../src/core/logger.ts';
import { move } from '../../src/pipeline/move.ts';
import { compareMoved } from '../../src/warehouse/compare-moved.ts';
import { readPublished } from '../../src/warehouse/read-published.ts';
import { errorOf } from '../support/error-of.ts';
import { PAGES_MODEL, type PackageProject, packageProject, signal } from './package-project.ts';

// From a file to a file: the session, the units and the records are those of every move. Trino: test/engines/move.test.ts

const target = ({ settings }: PackageProject) => settingsInDuckDb(settings, 'other.duckdb');

const moved = async (project: PackageProject) => {
  const { errors, report } = await move({
    ...{ from: project.settings, to: target(project) },
    ...{ logger: silentLogger, signal },
  });
  return { errors, units: report.units.map(({ unit }) => unit) };
};

test('each unit is moved with its record, models are built anew, and a second move has nothing to do', async () => {
  const project = await packageProject(PAGES_MODEL);
  await project.load(await project.make('c1', ['a', 'b']), await project.make('c2', ['c']));
  expect(await moved(project)).toEqual({ errors: [], units: ['crawl_pages/c1', 'crawl_pages/c2'] });
  expect(await compareMoved(project.settings, target(project), signal)).toEqual([
    { name: 'mart.page_urls', units: null, rows: 3n },
    { name: 'raw.crawl_pages', units: 2, rows: 3n },
  ]);
  const loads = 'SELECT * EXCLUDE (queryable), queryable FROM ops.loads ORDER BY unit';
  const read = (settings: PackageProject['settings']) =>
    readPublished(settings, (connection) => connection.jsonRows(loads));
  expect(await read(target(project))).toEqual(await read(project.settings));
  expect(await moved(project)).toEqual({ errors: [], units: [] });
});

test('a unit that was loaded again since is moved again', async () => {
  const project = await packageProject();
  await project.load(await project.make('c1', ['a']), await project.make('c2', ['c']));
  await moved(project);
  await project.load(await project.make('c1', ['a', 'b']));
  expect((await errorOf(compareMoved(project.settings, target(project), signal))).message).toBe(
    'crawl_pages/c1 in raw.crawl_pages: 2 rows before, 1 after',
  );
  expect(await moved(project)).toEqual({ errors: [], units: ['crawl_pages/c1'] });
  expect(await compareMoved(project.settings, target(project), signal)).toHaveLength(1);
});

test('a target with units of another warehouse is refused, and so is a source that is not there', async () => {
  const [project, other] = [await packageProject(), await packageProject()];
  expect(await errorOf(moved(project))).toMatchObject({ code: 'nothing_published' });
  await project.load(await project.make('c1', ['a']));
  await other.load(await other.make('c9', ['a']));
  const to = { ...target(project), warehouse: join(other.folder, 'warehouse.duckdb') };
  const { errors } = await move({ from: project.settings, to, logger: silentLogger, signal });
  expect(errors.map(({ code, message }) => [code, message])).toEqual([
    ['usage', 'there is another warehouse already: it has crawl_pages/c9'],
  ]);
});
