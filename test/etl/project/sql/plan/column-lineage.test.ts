import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadModels } from '../../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../../src/etl/project/sql/models/sql-folders.ts';
import { columnLineage } from '../../../../../src/etl/project/sql/plan/column-lineage.ts';
import { gaps } from '../../../../support/gaps.ts';
import { loadFiles, modelText } from '../../../pipeline/transform/model-files.ts';
import { openWarehouse, type TestWarehouse } from '../../../pipeline/transform/test-warehouse.ts';

let warehouse: TestWarehouse;
beforeAll(async () => {
  warehouse = await openWarehouse();
});
afterAll(() => warehouse[Symbol.asyncDispose]());

const reads = 'reads:\n  raw.t: {x: BIGINT, y: BIGINT, z: BIGINT}\n  raw.u: {k: BIGINT, v: BIGINT}';

test.each<[name: string, sql: string, x: string[], y: string[]]>([
  ['columns, aliases, functions', 'SELECT t.x, abs(t.y + z) AS y FROM raw.t', ['t.x'], ['t.y', 't.z']],
  ['a star', 'FROM raw.t', ['t.x'], ['t.y']],
  [
    'a star that leaves out and replaces',
    'SELECT * EXCLUDE (z) REPLACE (z AS y) FROM raw.t',
    ['t.x'],
    ['t.z'],
  ],
  ['a WITH', 'WITH a AS (SELECT x AS b FROM raw.t) SELECT b AS x, 1 AS y FROM a', ['t.x'], []],
  ['a join', 'SELECT t.x, u.v AS y FROM raw.t AS t JOIN raw.u AS u ON u.k = t.z', ['t.x'], ['u.v']],
  [
    'a UNION, by position',
    'SELECT x, y FROM raw.t UNION ALL SELECT k, v FROM raw.u',
    ['t.x', 'u.k'],
    ['t.y', 'u.v'],
  ],
  ['a subquery', 'SELECT (SELECT max(v) FROM raw.u) AS x, s.y FROM (FROM raw.t) AS s', ['u.v'], ['t.y']],
  [
    'a window and a filter',
    'SELECT lag(x) OVER (ORDER BY y) AS x, sum(z) FILTER (y > 0) AS y FROM raw.t',
    ['t.x', 't.y'],
    ['t.y', 't.z'],
  ],
  ['an alias used again', 'SELECT x + z AS x, y AS a, a + 1 AS y FROM raw.t', ['t.x', 't.z'], ['t.y']],
])('lineage follows %s', async (_name, sql, x, y) => {
  const used = { more: reads, columns: ['x', 'y'], sql };
  const lineage = await columnLineage(
    warehouse.connection,
    await loadFiles({ 'm/a.sql': modelText('a', used) }),
  );
  const raw = (names: readonly string[]) => names.map((name) => `raw.${name}`);
  expect(lineage.get('mart.a')?.get('x')).toEqual(raw(x));
  expect(lineage.get('mart.a')?.get('y')).toEqual(raw(y));
});

test('lineage follows the shipped models to the fields of the service', async () => {
  const models = await loadModels([sqlFolder(join(import.meta.dirname, '../../../../../sql'))]);
  const lineage = await columnLineage(warehouse.connection, models);
  expect(lineage.get('mart.pages')?.get('is_indexable')).toEqual(
    [
      'canonical_evaluation',
      'content_kind',
      'fetch_status',
      'indexable',
      'meta_refresh_delay',
      'meta_refresh_location',
      'meta_robots',
      'meta_robots_index',
      'processing_warnings',
      'rel_canonical',
      'robots_txt_denied',
      'status_code',
      'url',
    ].map((field) => `raw.crawl_pages.${field}`),
  );
  expect(lineage.get('mart.links_to_broken_pages')?.get('target_status')).toEqual([
    'raw.crawl_links.target_status',
    'raw.crawl_pages.status_code',
  ]);
  expect(lineage.get('mart.page_hits')?.get('hits')).toEqual(['raw.log_pages_days.hits']);
  expect(lineage.get('mart.page_hits')?.get('visits')).toEqual([
    'raw.log_events.bot_verification',
    'raw.log_events.is_bot',
    'raw.log_pages_days.visits',
  ]);
  expect(lineage.get('mart.page_changes')?.get('before')).toEqual(
    [
      'canonical_evaluation',
      'content_kind',
      'fetch_status',
      'h1',
      'indexable',
      'meta_description',
      'meta_refresh_delay',
      'meta_refresh_location',
      'meta_robots',
      'meta_robots_index',
      'processing_warnings',
      'rel_canonical',
      'robots_txt_denied',
      'status_code',
      'title',
      'url',
    ].map((field) => `raw.crawl_pages.${field}`),
  );
  const isOfBuilds = (column: string) => ['_load_id', '_loaded_at'].includes(column);
  const without = [...lineage].flatMap(([model, columns]) =>
    [...columns]
      .filter(([column, sources]) => sources.length === 0 && !isOfBuilds(column))
      .map(([column]) => `${model}.${column}`),
  );
  expect(lineage.get('mart.links')?.get('_load_id')).toEqual([
    'raw.crawl_links._run_id',
    'raw.crawl_links._unit',
  ]);
  expect(lineage.get('mart.page_issues')?.get('_load_id')).toEqual([]);
  // Seeds, row counts and literals come from no field. Segmentations and lists differ by crawl.
  const OF_SEED = ['crawler', 'bot_class', 'engine', 'purpose'];
  const fromNoField = [
    'mart.log_days.dataset',
    ...['token', ...OF_SEED, 'reference', 'found_in', 'read_on'].map((column) => `mart.bots.${column}`),
    ...['crawler', 'check_method', 'check_value', 'reference', 'method', 'value'].map(
      (column) => `mart.bot_checks.${column}`,
    ),
    ...['source', 'assistant', 'reference', 'read_on'].map((column) => `mart.assistants.${column}`),
    ...['range_list', 'prefix', 'source', 'published', 'copied_from'].map(
      (column) => `mart.bot_ranges.${column}`,
    ),
    ...OF_SEED.map((column) => `mart.user_agents.${column}`),
    'mart.bot_hits.dataset',
    'mart.crawl_days.dataset',
    'mart.crawl_days.kind',
    'mart.log_url_days.dataset',
    'mart.page_hits.days',
    'mart.pages.custom_*',
    'mart.page_groups.segmentation',
    'mart.page_groups.segment',
    'mart.page_segments.segmentation',
    'mart.page_segments.segment',
    'mart.crawl_segments.segmentation',
    'mart.crawl_segments.pages',
    'mart.crawl_segments.log_days',
    'mart.crawl_kpis.segmentation',
    'mart.crawl_kpis.pages',
    'mart.crawl_kpis.log_days',
    // What files under sql/issues/ say.
    ...['issue', 'title', 'severity', 'weight', 'category', 'definition', 'source'].map(
      (name) => `mart.issues.${name}`,
    ),
    ...['why_it_matters', 'fix', 'owner', 'mended_by', 'evidence', 'needs', 'related', 'is_by_days'].map(
      (name) => `mart.issues.${name}`,
    ),
    'mart.crawl_coverage.known_pages',
    'mart.read_targets.is_page',
    ...['issue', 'title', 'severity', 'weight', 'category', 'definition', 'source'].map(
      (name) => `mart.project_issues.${name}`,
    ),
    ...['why_it_matters', 'fix', 'owner', 'mended_by', 'is_by_days'].map(
      (name) => `mart.project_issues.${name}`,
    ),
    ...['page_issues', 'page_issue_changes', 'issue_changes', 'issue_trend'].map(
      (name) => `mart.${name}.issue`,
    ),
    ...['segmentation', 'issue', 'title', 'category', 'severity', 'owner', 'mended_by', 'fix', 'pages'].map(
      (name) => `mart.issue_priorities.${name}`,
    ),
    'mart.site_changes.segmentation',
    'mart.click_weeks.segmentation',
    ...['change', 'least', 'least_percent'].map((name) => `mart.site_change_rules.${name}`),
    'mart.links_to_broken_pages.links',
    ...['issue', 'title', 'category', 'severity', 'fix'].map((name) => `mart.page_actions.${name}`),
    'mart.page_demand.is_period_total',
    'mart.page_hreflangs.place',
    'mart.page_hreflangs.href',
    'mart.page_lists.field',
    'mart.page_lists.item',
    'mart.page_lists.value',
    'mart.pages_wide.main_segmentation',
    'mart.redirect_map.hop',
    'mart.status_codes_by_crawl.pages',
    'mart.status_codes_by_segment.segmentation',
    'mart.status_codes_by_segment.segment',
    'mart.status_codes_by_segment.pages',
  ];
  const found = gaps(without, fromNoField, {
    adds: 'a model',
    missing: (column) =>
      `${column} comes from no field: say so in test/etl/project/sql/plan/column-lineage.test.ts`,
    extra: (column) =>
      `test/etl/project/sql/plan/column-lineage.test.ts has ${column}, which comes from a field or is no column`,
  });
  expect(found).toEqual([]);
});
