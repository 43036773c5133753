import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { possibleRoutes } from '../../../../src/etl/pipeline/routes/choose-route.ts';
import { EXPORT_WAIT, VALUES_PER_SECOND } from '../../../../src/etl/pipeline/routes/weigh-export.ts';
import { checkResource, RESOURCE_NAMES } from '../../../../src/etl/project/model/resource-names.ts';
import { LAST_LOADS, LEAST_ROWS } from '../../../../src/etl/project/model/route-pace.ts';
import { loadPipelines } from '../../../../src/etl/project/settings/pipelines.ts';
import { gaps } from '../../../support/gaps.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
/** Those that are no lists of resources. */
const DATASETS = [
  ...['crawl_pages', 'crawl_links', 'crawl_clusters', 'crawl_structured_data', 'crawl_requests'],
  ...['crawl_over_crawl_pages', 'fields', 'log_events', 'log_pages_days', 'log_pages_weeks'],
  ...['log_pages_months', 'ranking_performance'],
];
const ROUTES = ['stream', 'export', 'search', 'aggs', 'list'] as const;

/** A row for each dataset of the table in docs/routes.md, without the padding of its cells. */
async function expectedRows(): Promise<string[][]> {
  return (await loadPipelines(ROOT)).map(({ dataset, source }) => {
    const possible = possibleRoutes(source);
    return [`\`${dataset}\``, ...ROUTES.map((route) => possible[route]?.join(', ') ?? '')];
  });
}

test('docs/routes.md lists the possible routes and formats of every pipeline', async () => {
  const text = readFileSync(join(ROOT, 'docs', 'routes.md'), 'utf8');
  const rows = String(text.split('\n## Packages\n')[0])
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [datasets = '', ...routes] = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      return datasets.split(', ').map((dataset) => [dataset, ...routes]);
    });
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const expected = await expectedRows();
  const found = gaps(expected.map(line), rows.map(line), {
    adds: "a dataset of a crawl's data type",
    missing: (row) => `docs/routes.md lacks the row ${row}`,
    extra: (row) => `docs/routes.md has the row ${row}, which no file in pipelines/ has`,
  });
  expect(found).toEqual([]);
});

test('every dataset of the design and every existing list has a pipeline', async () => {
  const pipelines = await loadPipelines(ROOT);
  for (const pipeline of pipelines) if (pipeline.source.kind === 'resource') checkResource(pipeline);
  const found = gaps(
    [...RESOURCE_NAMES, ...DATASETS],
    pipelines.map(({ dataset }) => dataset),
    {
      adds: "a dataset of a crawl's data type",
      missing: (dataset) => `${dataset} has no pipelines/${dataset}.yaml`,
      extra: (dataset) =>
        `pipelines/${dataset}.yaml is not in DATASETS of test/etl/pipeline/routes/routes-doc.test.ts`,
    },
  );
  expect(found).toEqual([]);
});

test('docs/routes.md contains the thresholds between stream and data export', () => {
  const text = readFileSync(join(ROOT, 'docs', 'routes.md'), 'utf8').replace(/\s+/g, ' ');
  const { json, csv, parquet } = VALUES_PER_SECOND;
  const number = (value: number): string => value.toLocaleString('en-US');
  for (const said of [
    `JSON ${number(json)}, CSV ${number(csv)} values/s | Parquet ${number(parquet)} values/s`,
    `| none | ${EXPORT_WAIT} s |`,
    `the last ${LAST_LOADS} in this format, of ${number(LEAST_ROWS)} rows or more`,
    `at least about ${number(EXPORT_WAIT / (100 / json - 100 / parquet))} rows.`,
  ])
    expect(text).toContain(said);
});
