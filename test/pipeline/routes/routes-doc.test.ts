import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { possibleRoutes } from '../../../src/pipeline/routes/choose-route.ts';
import { EXPORT_WAIT, VALUES_PER_SECOND } from '../../../src/pipeline/routes/weigh-export.ts';
import { checkResource, RESOURCE_NAMES } from '../../../src/project/model/resources.ts';
import { LAST_LOADS, LEAST_ROWS } from '../../../src/project/model/route-pace.ts';
import { loadPipelines } from '../../../src/project/settings/pipelines.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const ROUTES = ['stream', 'export', 'search', 'aggs', 'list'] as const;

/** The rows of the table in docs/routes.md, without the padding of its cells. */
async function expectedRows(): Promise<string[][]> {
  return (await loadPipelines(ROOT)).map(({ dataset, source }) => {
    const possible = possibleRoutes(source);
    return [`\`${dataset}\``, ...ROUTES.map((route) => possible[route]?.join(', ') ?? '')];
  });
}

test('docs/routes.md says of every pipeline which routes it can take, and in which formats', async () => {
  const text = readFileSync(join(ROOT, 'docs', 'routes.md'), 'utf8');
  const rows = String(text.split('\n## Packages\n')[0])
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  expect(rows).toEqual(await expectedRows());
});

test('every dataset of the design has a pipeline, and every list that there is', async () => {
  const pipelines = await loadPipelines(ROOT);
  for (const pipeline of pipelines) if (pipeline.source.kind === 'resource') checkResource(pipeline);
  expect(pipelines.map((pipeline) => pipeline.dataset).sort()).toEqual(
    [
      ...RESOURCE_NAMES,
      'crawl_pages',
      'crawl_links',
      'crawl_clusters',
      'crawl_structured_data',
      'crawl_requests',
      'crawl_over_crawl_pages',
      'fields',
      'log_events',
      'log_pages_days',
      'log_pages_weeks',
      'log_pages_months',
      'ranking_performance',
    ].sort(),
  );
});

test('docs/routes.md has the numbers by which the stream and a data export are compared', () => {
  const text = readFileSync(join(ROOT, 'docs', 'routes.md'), 'utf8').replace(/\s+/g, ' ');
  const { json, csv, parquet } = VALUES_PER_SECOND;
  const number = (value: number): string => value.toLocaleString('en-US');
  for (const said of [
    `JSON ${number(json)}, CSV ${number(csv)} values/s | Parquet ${number(parquet)} values/s`,
    `| none | ${EXPORT_WAIT} s |`,
    `the last ${LAST_LOADS} in this format, of ${number(LEAST_ROWS)} rows or more`,
    `about ${number(EXPORT_WAIT / (100 / json - 100 / parquet))} rows on`,
  ])
    expect(text).toContain(said);
});
