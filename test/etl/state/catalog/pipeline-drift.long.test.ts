import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { readDrift } from '../../../../src/etl/state/catalog/pipeline-drift.ts';
import {
  crawlhouse,
  environmentOf,
  rawProjectFolder,
  runProject,
  sandboxFor,
} from '../../../support/project.ts';

async function scene() {
  const sandbox = await sandboxFor({ generate: ['crawls=2,pages=5,links=5,columns=12,seed=3'] });
  const folder = await rawProjectFolder();
  const settings = await loadSettings(folder, environmentOf(sandbox));
  const file = join(folder, 'pipelines', 'crawl_pages.yaml');
  const shipped = await readFile(file, 'utf8');
  const run = () => runProject(folder, sandbox, { pipelines: ['crawl_pages', 'crawls'] });
  /** The pipeline as it ships, with a line more. */
  const set = (line: string) =>
    writeFile(file, `${shipped.replaceAll(/^(fields|filter):.*\n/gm, '')}${line}\n`);
  return { sandbox, folder, settings, run, set };
}

test('a changed filter is reported with the command that reloads the units and ends the report', async () => {
  const { sandbox, folder, settings, run, set } = await scene();
  expect(await readDrift(settings)).toEqual([]);
  await run();
  expect(await readDrift(settings)).toEqual([]);
  await set('filter: { field: [status_code, equals, 200] }');
  const [drift, ...others] = await readDrift(settings);
  expect([drift, others]).toMatchObject([{ dataset: 'crawl_pages', changed: ['filter'], units: 2 }, []]);
  const words = drift?.command?.split(' ') ?? [];
  expect(words.slice(0, 4)).toEqual(['crawlhouse', 'backfill', 'crawl_pages', '--from']);

  const status = await crawlhouse(folder, sandbox, ['status']);
  expect(status.stdout).toMatch(/^ {2}crawl_pages: its filter has changed since 2 units were loaded$/m);
  const command = words.slice(1).join(' ');
  expect(status.stdout).toContain(` ${command}\n`);
  const discovery = await crawlhouse(folder, sandbox, ['discover', '--json']);
  expect(JSON.parse(discovery.stdout).drift).toEqual([drift]);
  const again = await crawlhouse(folder, sandbox, ['run', 'crawl_pages']);
  expect(again.stderr).toContain(command);

  const reload = await crawlhouse(folder, sandbox, words.slice(1));
  expect([reload.status, reload.stderr.includes('--reload')]).toEqual([0, false]);
  expect(await readDrift(settings)).toEqual([]);
});

test('changed fields are reported; another order is not a change', async () => {
  const { settings, run, set } = await scene();
  await set('fields: { include: [url, status_code], exclude: [ngrams] }');
  await run();
  await set('fields: { include: [status_code, url], exclude: [ngrams] }');
  expect(await readDrift(settings)).toEqual([]);
  await set('fields: { include: ["*"], exclude: [ngrams] }');
  expect(await readDrift(settings)).toMatchObject([{ changed: ['fields'], units: 2, archived: 0 }]);
});

test('units of archived crawls are not part of the reload command', async () => {
  const { sandbox, settings, run, set } = await scene();
  const { report } = await run();
  const [unit] = report.units.filter((one) => one.dataset === 'crawl_pages');
  const change = {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: '{"status":"archived"}',
  };
  const answer = await fetch(`${sandbox.baseUrl}/_sandbox/crawls/${unit?.source.id}`, change);
  expect(answer.status).toBe(200);
  await run();
  await set('filter: { field: [status_code, equals, 200] }');
  const drifts = await readDrift(settings);
  expect(drifts).toMatchObject([{ units: 1, archived: 1 }]);
  await set('unarchive: unarchive\nfilter: { field: [status_code, equals, 200] }');
  expect(await readDrift(settings)).toMatchObject([{ units: 2, archived: 0 }]);
});
