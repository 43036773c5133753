import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadModels } from '../../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../../src/etl/project/sql/models/sql-folders.ts';
import { planModels } from '../../../../src/etl/project/sql/plan/plan-models.ts';
import { gaps } from '../../../support/gaps.ts';
import { openWarehouse } from './test-warehouse.ts';

const repository = join(import.meta.dirname, '../../../..');
const models = await loadModels([sqlFolder(join(repository, 'sql'))]);

test('every model has golden cases, except seeds', async () => {
  const golden = (await readdir(join(repository, 'test/golden'))).filter((name) => name.endsWith('.yaml'));
  const seeds = (await readdir(join(repository, 'sql/seeds'))).map(
    (name) => `mart.${basename(name, '.csv')}`,
  );
  const cased = models.map(({ name }) => name).filter((name) => !seeds.includes(name));
  const found = gaps(
    cased,
    golden.map((name) => basename(name, '.yaml')),
    {
      adds: 'a model',
      missing: (name) => `${name} has no cases in test/golden/${name}.yaml`,
      extra: (name) => `test/golden/${name}.yaml has the cases of no model in sql/`,
    },
  );
  expect(found).toEqual([]);
});

/** What each model reads: a change of it is a change of what is built again. */
const READS: Readonly<Record<string, readonly string[]>> = {
  'mart.assistants': [],
  'mart.bot_hits': ['mart.log_days', 'mart.log_events', 'mart.log_pages_days'],
  'mart.bot_checks': [],
  'mart.bot_ranges': [],
  'mart.bots': [],
  'mart.clusters': ['raw.crawl_clusters'],
  'mart.canonical_targets': ['mart.pages', 'mart.read_targets'],
  'mart.crawl_budget': [
    'mart.bot_hits',
    'mart.crawl_days',
    'mart.crawl_states',
    'mart.crawls',
    'mart.page_hits',
    'mart.pages',
  ],
  'mart.crawl_comparison_pages': ['raw.crawl_over_crawl_pages', 'raw.crawl_over_crawls'],
  'mart.crawl_coverage': ['mart.crawl_fields', 'mart.crawl_files', 'mart.pages'],
  'mart.crawl_days': ['mart.crawls', 'mart.log_days', 'mart.ranking_days', 'mart.ranking_periods'],
  'mart.crawl_columns': ['mart.crawl_fields'],
  'mart.crawl_fields': ['ops.loads', 'ops.unit_fields'],
  'mart.crawl_kpis': ['mart.crawl_segments', 'mart.crawls'],
  'mart.crawl_pairs': ['mart.crawl_coverage', 'mart.crawls'],
  'mart.crawl_segments': [
    'mart.crawl_days',
    'mart.crawls',
    'mart.orphans',
    'mart.page_demand',
    'mart.page_hits',
    'mart.page_segments',
    'mart.pages',
    'mart.projects',
  ],
  'mart.crawl_states': ['mart.crawls'],
  'mart.crawls': ['mart.crawl_coverage', 'mart.projects', 'ops.loads', 'raw.crawls'],
  'mart.dates': ['mart.crawls', 'ops.loads'],
  'mart.indexability': ['mart.pages'],
  'mart.indexability_changes': ['mart.crawl_columns', 'mart.crawls', 'mart.pages', 'mart.rechecks'],
  'mart.links': ['raw.crawl_links'],
  'mart.links_to_broken_pages': ['mart.links', 'mart.pages'],
  'mart.log_days': ['raw.log_events', 'raw.log_pages_days'],
  'mart.log_events': ['mart.assistants', 'mart.user_agents', 'raw.log_events'],
  'mart.log_pages_days': ['raw.log_pages_days'],
  'mart.log_pages_months': ['raw.log_pages_months'],
  'mart.log_pages_weeks': ['raw.log_pages_weeks'],
  'mart.log_url_days': ['mart.log_days', 'mart.log_events', 'mart.log_pages_days', 'ops.unit_fields'],
  'mart.orphans': [
    'mart.bot_hits',
    'mart.crawl_days',
    'mart.crawls',
    'mart.page_demand',
    'mart.page_hits',
    'mart.pages',
    'mart.projects',
    'mart.rechecks',
  ],
  'mart.issue_changes': [
    'mart.crawl_columns',
    'mart.crawl_pairs',
    'mart.crawls',
    'mart.issue_sources',
    'mart.issues',
    'mart.page_demand',
    'mart.page_hits',
    'mart.page_issue_changes',
    'mart.project_issues',
  ],
  'mart.issue_sources': ['mart.crawl_days', 'mart.crawl_states', 'mart.crawls', 'mart.projects', 'ops.loads'],
  'mart.issue_priorities': [
    'mart.crawl_pairs',
    'mart.crawl_segments',
    'mart.issue_changes',
    'mart.issue_sources',
    'mart.page_demand',
    'mart.page_hits',
    'mart.page_issue_changes',
    'mart.page_issues',
    'mart.page_segments',
    'mart.pages',
    'mart.project_issues',
  ],
  'mart.issue_trend': ['mart.crawls', 'mart.issue_changes'],
  'mart.issues': [],
  'mart.page_issue_changes': [
    'mart.crawl_pairs',
    'mart.issue_sources',
    'mart.issues',
    'mart.page_comparison',
    'mart.page_issues',
  ],
  'mart.page_relations': ['mart.links', 'mart.page_hreflangs', 'mart.pages', 'mart.read_targets'],
  'mart.page_issues': [
    'mart.canonical_targets',
    'mart.crawl_budget',
    'mart.crawl_coverage',
    'mart.crawls',
    'mart.issue_sources',
    'mart.issues',
    'mart.lost_indexability',
    'mart.orphans',
    'mart.page_demand',
    'mart.page_hits',
    'mart.page_relations',
    'mart.pages',
    'mart.structured_data',
  ],
  'mart.lost_indexability': ['mart.crawls', 'mart.indexability_changes'],
  'mart.page_actions': ['mart.crawls', 'mart.page_issues', 'mart.page_values', 'mart.project_issues'],
  'mart.page_values': [
    'mart.crawl_segments',
    'mart.crawls',
    'mart.issue_sources',
    'mart.page_demand',
    'mart.page_hits',
    'mart.pages',
  ],
  'mart.page_changes': ['mart.crawl_columns', 'mart.crawls', 'mart.page_comparison', 'mart.pages'],
  'mart.page_comparison': ['mart.crawl_pairs', 'mart.pages', 'mart.rechecks', 'mart.redirect_map'],
  'mart.page_demand': ['mart.crawl_days', 'mart.ranking_performance', 'mart.ranking_periods'],
  'mart.page_hits': ['mart.crawl_days', 'mart.log_url_days'],
  'mart.page_hreflangs': ['mart.pages'],
  'mart.page_lists': ['raw.crawl_pages'],
  'mart.page_groups': ['mart.pages', 'mart.projects', 'raw.crawl_pages'],
  'mart.page_segments': ['mart.page_groups', 'mart.pages'],
  'mart.pages': ['raw.crawl_pages'],
  'mart.pages_wide': [
    'mart.crawls',
    'mart.page_changes',
    'mart.page_demand',
    'mart.page_groups',
    'mart.page_hits',
    'mart.pages',
  ],
  'mart.project_issues': ['mart.issues', 'mart.projects', 'ops.loads'],
  'mart.projects': ['raw.projects'],
  'mart.ranking_days': ['mart.ranking_performance', 'mart.ranking_periods', 'ops.loads'],
  'mart.ranking_performance': ['raw.ranking_performance'],
  'mart.ranking_periods': ['raw.ranking_performance'],
  'mart.redirect_map': ['mart.links', 'mart.pages', 'mart.redirects', 'ops.loads'],
  'mart.redirects': ['mart.pages'],
  'mart.click_weeks': [
    'mart.crawls',
    'mart.page_groups',
    'mart.pages',
    'mart.ranking_days',
    'mart.ranking_performance',
  ],
  'mart.site_change_rules': ['mart.crawls'],
  'mart.site_change_pages': [
    'mart.indexability_changes',
    'mart.page_changes',
    'mart.page_comparison',
    'mart.page_demand',
    'mart.pages',
    'mart.projects',
    'mart.site_change_rules',
  ],
  'mart.site_changes': [
    'mart.click_weeks',
    'mart.crawl_columns',
    'mart.crawl_coverage',
    'mart.crawl_files',
    'mart.crawl_segments',
    'mart.page_demand',
    'mart.page_groups',
    'mart.pages',
    'mart.site_change_pages',
    'mart.site_change_rules',
  ],
  'mart.status_codes_by_crawl': ['mart.crawls', 'mart.pages'],
  'mart.status_codes_by_segment': ['mart.page_segments', 'mart.pages', 'mart.projects'],
  'mart.structured_data': ['raw.crawl_structured_data'],
  'mart.crawl_files': ['raw.crawl_requests'],
  'mart.declared_targets': ['raw.crawl_requests'],
  'mart.rechecks': ['raw.crawl_requests'],
  'mart.read_targets': ['mart.declared_targets', 'mart.pages'],
  'mart.ticket_pages': [
    'mart.crawl_pairs',
    'mart.crawls',
    'mart.issue_changes',
    'mart.issues',
    'mart.page_comparison',
    'mart.page_issue_changes',
    'mart.page_issues',
    'mart.page_segments',
    'mart.pages',
    'ops.ticket_urls',
    'ops.tickets',
  ],
  'mart.tickets': ['mart.crawl_segments', 'mart.crawls', 'mart.ticket_pages', 'ops.tickets'],
  'mart.urls': [
    'mart.log_url_days',
    'mart.pages',
    'mart.ranking_performance',
    'mart.ranking_periods',
    'ops.loads',
  ],
  'mart.user_agents': ['mart.bots', 'raw.log_events'],
};

test('models build on an empty warehouse, and have the expected dependencies', async () => {
  await using warehouse = await openWarehouse();
  const plan = await planModels({ connection: warehouse.connection, models });
  const line = ([name, reads]: readonly [string, readonly string[]]): string =>
    `${name} reads ${[...reads].sort().join(', ') || 'nothing'}`;
  const found = gaps(
    plan.map(({ model, sources, models }) => line([model.name, [...sources, ...models]])),
    Object.entries(READS).map(line),
    {
      adds: 'a model',
      missing: (reads) =>
        `${reads}, and READS in test/etl/pipeline/transform/own-models.test.ts does not say so`,
      extra: (reads) => `READS in test/etl/pipeline/transform/own-models.test.ts says that ${reads}`,
    },
  );
  expect(found).toEqual([]);
});

test('every column has a description', () => {
  const bare = models.flatMap((model) =>
    [...model.columns]
      .filter(([, description]) => !description.trim().endsWith('.'))
      .map(([column]) => `${model.name}.${column}`),
  );
  expect(bare).toEqual([]);
});
