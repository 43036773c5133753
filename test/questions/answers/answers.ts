import type { Row } from '../sites/sites.ts';
import { q32 } from './actions.ts';
import { q06, q06ByCrawl, q07, q11, q22 } from './changes.ts';
import { q28 } from './decay.ts';
import { q18, q19, q27 } from './demand.ts';
import type { Asked, Facts } from './facts.ts';
import { q20, q21, siteStructure } from './figures.ts';
import { q01, q02, q08, q09, q23, q29 } from './links.ts';
import { q24 } from './migration.ts';
import { q03 } from './orphans.ts';
import { q04, q05, q10, q12, q13, q14, q15, q30 } from './pages-of-crawl.ts';
import { linkSuggestions } from './suggestions.ts';
import { num, str } from './values.ts';
import { q16, q17, q25, q26, q31, q33 } from './visits.ts';

/** What rows are ordered by: a column, the greatest first with a minus, or what is made of a row. NULL is last. */
type OrderKey = string | ((row: Row) => string | number | null);

/** A second answer to a question, in plain code, by docs/definitions.md. */
export interface Answer {
  /** All rows, whatever their order. */
  readonly rows: (facts: Facts, asked: Asked) => Row[];
  /** What the whole answer is ordered by, after the name of the project. */
  readonly order: readonly OrderKey[];
  /** Columns that no definition says the value of. */
  readonly untold?: readonly string[];
}

const lostInlinks = (row: Row): number | null => {
  const [before, now] = [num(row, 'nb_inlinks_before'), num(row, 'nb_inlinks')];
  return before === null || now === null ? null : now - before;
};

export const ANSWERS: Readonly<Record<string, Answer>> = {
  q34_link_suggestions: {
    rows: linkSuggestions,
    order: ['crawl_id', '-inrank_decimal', '-nb_inlinks', 'origin'],
  },
  // Whether a page has an issue is a matter of its own (q32).
  q35_site_structure: { rows: siteStructure, order: ['crawl_id', '-pages', 'folder'], untold: ['issues'] },
  q01_links_to_redirects_to_404: { rows: q01, order: ['crawl_id', '-links', 'target', 'anchor'] },
  q02_links_into_segments: { rows: q02, order: ['crawl_id', 'segmentation', 'segment', '-links', 'anchor'] },
  q03_orphan_pages: {
    rows: q03,
    order: ['crawl_id', ({ state }) => (state === 'live' ? 0 : state === null ? 1 : 2), '-clicks', 'url'],
  },
  q04_indexability_funnel: { rows: q04, order: ['-ended_at', '-crawl_id'] },
  q05_status_codes_by_crawl: {
    rows: q05,
    order: ['-ended_at', '-crawl_id', (row) => str(row, 'segmentation') ?? '', 'segment', 'status_code'],
  },
  q06_page_changes: { rows: q06, order: ['crawl_id', 'change', 'url'] },
  q06_page_changes_by_crawl: { rows: q06ByCrawl, order: ['-ended_at', '-crawl_id', 'change'] },
  q07_pages_that_became_non_indexable: { rows: q07, order: ['crawl_id', 'url'] },
  q08_404s_with_most_internal_links: {
    rows: q08,
    order: ['crawl_id', '-internal_links', 'target', '-links_on_page', 'origin'],
  },
  q09_redirect_chains_and_loops: {
    rows: q09,
    order: ['crawl_id', '-internal_links', '-redirect_count', 'url'],
  },
  q10_inrank_by_depth_and_segment: { rows: q10, order: ['crawl_id', 'depth', '-pages', 'segment'] },
  q11_pages_that_lose_links_or_get_deeper: {
    rows: q11,
    order: ['crawl_id', '-inrank_before', lostInlinks, 'url'],
  },
  q12_sitemap_against_crawl: { rows: q12, order: ['crawl_id', 'finding', 'url'] },
  q13_duplicate_titles_h1s_descriptions: {
    rows: q13,
    order: ['crawl_id', '-pages', 'field', 'shared_value'],
  },
  q14_canonicals_to_bad_targets: { rows: q14, order: ['crawl_id', 'rel_canonical', 'url'] },
  q15_hreflang_clusters_with_bad_members: {
    rows: q15,
    order: ['crawl_id', '-not_indexable', '-missing', 'hreflang_cluster_id'],
  },
  q16_bot_hits_by_segment_depth_and_inrank: { rows: q16, order: ['crawl_id', 'segment', 'depth', 'inrank'] },
  q17_wasted_crawl_budget: { rows: q17, order: ['project_id', 'dataset', 'engine', '-hits', 'waste'] },
  q18_demand_that_is_not_met: { rows: q18, order: ['project_id', '-impressions', 'finding', 'url'] },
  q19_under_linked_and_deep_pages_that_perform: { rows: q19, order: ['crawl_id', '-clicks', 'url'] },
  q20_thin_slow_pages_by_segment: { rows: q20, order: ['segment', 'ended_at', 'crawl_id'] },
  q21_kpi_trend: { rows: q21, order: ['-ended_at', 'crawl_id', 'segmentation', 'segment'] },
  q22_non_indexability_reasons: { rows: q22, order: ['-ended_at', 'crawl_id', '-pages', 'reason'] },
  q23_redirect_map: { rows: q23, order: ['crawl_id', '-internal_links', 'url', 'hop'] },
  q24_migration_check: {
    rows: q24,
    order: [
      'crawl_id',
      (row) => -(num(row, 'clicks_at_risk') ?? 0),
      (row) => -(num(row, 'clicks_before') ?? 0),
      'old_url',
    ],
  },
  q25_freshness: { rows: q25, order: ['project_id', '-first_seen_date', 'url'] },
  q26_crawl_frequency_by_engine: {
    rows: q26,
    order: ['project_id', 'engine', '-hits', '-is_in_crawl', 'url_first_path'],
  },
  q27_cannibalisation: {
    rows: q27,
    order: ['project_id', '-query_impressions', 'query', '-impressions', '-clicks', 'url'],
  },
  q28_decay: { rows: q28, order: ['project_id', '-clicks_lost', 'url'] },
  q29_link_flow_between_segments: {
    rows: q29,
    order: ['crawl_id', '-links', 'origin_segment', 'target_segment'],
  },
  q30_web_vitals_and_structured_data_by_template: {
    rows: q30,
    order: ['crawl_id', 'segmentation', '-pages', 'segment'],
  },
  q31_ai_crawlers_by_page: { rows: q31, order: ['project_id', '-hits', 'url', 'crawler'] },
  q32_what_to_do_first: {
    rows: q32,
    order: [
      'crawl_id',
      '-priority',
      (row) => ['high', 'medium', 'low'].indexOf(str(row, 'severity') ?? ''),
      'url',
      'issue',
    ],
    untold: ['why', 'fix'],
  },
  q33_crawl_budget_by_segment: { rows: q33, order: ['crawl_id', '-search_bot_hits', '-pages', 'segment'] },
};
