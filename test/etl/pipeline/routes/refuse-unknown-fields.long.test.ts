import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { discoverUnits, reportPlan } from '../../../../src/etl/pipeline/plan.ts';
import { loadPipelines } from '../../../../src/etl/project/settings/pipelines.ts';
import {
  environmentOf,
  rawProjectFolder,
  runProject,
  sandboxFor,
  setFaults,
} from '../../../support/project.ts';
import { signal } from '../package-project.ts';

const REQUEST = {
  command: 'run',
  selection: { projects: 'all', crawls: null, from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY },
  override: { route: null, format: null, store: null },
  reload: false,
} as const;

async function scene(include: string, more: readonly string[] = []) {
  const sandbox = await sandboxFor({ generate: ['crawls=2,pages=5,links=5,columns=12,seed=3'] });
  const folder = await rawProjectFolder();
  const pipeline = [
    'dataset: crawl_pages',
    'description: Pages',
    'source: { kind: crawl, data_type: pages }',
    'fields:',
    `  include: ${include}`,
    ...more,
  ];
  await writeFile(join(folder, 'pipelines', 'crawl_pages.yaml'), `${pipeline.join('\n')}\n`);
  const settings = await loadSettings(folder, environmentOf(sandbox));
  const pipelines = (await loadPipelines(folder)).filter(({ dataset }) => dataset === 'crawl_pages');
  const run = () => runProject(folder, sandbox, { pipelines: ['crawl_pages'] });
  return { sandbox, folder, settings, request: { ...REQUEST, pipelines }, run };
}

const REFUSED = {
  code: 'bad_pipeline',
  message:
    'pipelines/crawl_pages.yaml:5: fields.include.1: the service has no field staus_code for crawl_pages',
  hint: 'did you mean status_code?',
};

test('a run, a plan and a discovery refuse an unknown field before loading units', async () => {
  const { settings, request, run } = await scene('[url, staus_code]');
  await expect(discoverUnits(settings, request, silentLogger, signal)).rejects.toMatchObject(REFUSED);
  await expect(reportPlan(settings, request, silentLogger, signal)).rejects.toMatchObject(REFUSED);
  const { exitCode, report, errors } = await run();
  expect([exitCode, report.units, errors]).toMatchObject([2, [], [REFUSED]]);
});

test('an unknown field without similar names is refused with some existing ones', async () => {
  const { run } = await scene('[url, zzzzzzzzz]');
  expect((await run()).errors[0]?.hint).toMatch(/^remove it, or name one of the \d+ fields .* such as url, /);
});

test('fields in the warehouse and fields matched by patterns are known', async () => {
  const { sandbox, run } = await scene('[url, status_code, "zzz*"]');
  expect((await run()).exitCode).toBe(0);
  const path = '/fields$';
  await setFaults(sandbox, [{ match: { path }, kind: 'status', status: 503 }]);
  expect((await run()).exitCode).toBe(0);
});

test('if the service lists no fields now, each unit reports it', async () => {
  const { sandbox, run } = await scene('[url, staus_code]');
  await setFaults(sandbox, [{ match: { path: '/pages/fields' }, kind: 'status', status: 404 }]);
  const { exitCode, report } = await run();
  expect([exitCode, report.units.map(({ status }) => status)]).toEqual([4, ['refused', 'refused']]);
});

test.each([
  ['an exclusion', '  exclude: [url, staus_code]', 'pipelines/crawl_pages.yaml:6: fields.exclude.1'],
  [
    'a filter',
    'filter: {and: [{field: [url, has_value, true]}, {or: [{field: [staus_code, gte, 400]}]}]}',
    'pipelines/crawl_pages.yaml:6: filter.and.1.or.0.field.0',
  ],
  ['a column', 'columns: {staus_code: {retype: allow}}', 'pipelines/crawl_pages.yaml:6: columns.staus_code'],
])('%s with a misspelled field is refused', async (_what, line, place) => {
  const { run } = await scene("['*']", [line]);
  const { exitCode, errors } = await run();
  const message = `${place}: the service has no field staus_code for crawl_pages`;
  expect([exitCode, errors]).toMatchObject([2, [{ ...REFUSED, message }]]);
});

test('an exclusion may name a field that a crawl lacks', async () => {
  const { run } = await scene("['*']", ['  exclude: [ngrams_of_body]']);
  expect((await run()).exitCode).toBe(0);
});
