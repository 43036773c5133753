/** Models whose rows may repeat. */
export const REPEATING: readonly string[] = ['mart.links', 'mart.log_events', 'mart.structured_data'];

/** Of each other model without a tested grain, what makes its rows unique all the same. */
export const GRAINS: Readonly<Record<string, readonly string[]>> = {
  'mart.crawl_kpis': ['crawl_id', 'segmentation', 'segment'],
  'mart.indexability': ['crawl_id', 'url'],
  'mart.issue_sources': ['crawl_id', 'source'],
  'mart.page_actions': ['crawl_id', 'url', 'issue'],
  'mart.page_issue_changes': ['crawl_id', 'url', 'issue', 'change'],
  'mart.page_hreflangs': ['crawl_id', 'url', 'place'],
  'mart.page_issues': ['crawl_id', 'url', 'issue'],
  'mart.page_lists': ['crawl_id', 'url', 'field', 'value'],
  'mart.page_groups': ['crawl_id', 'url', 'segmentation', 'segment'],
  'mart.page_segments': ['crawl_id', 'url', 'segmentation', 'segment'],
  'mart.page_values': ['crawl_id', 'url'],
  'mart.pages_wide': ['crawl_id', 'url'],
  'mart.urls': ['project_id', 'url'],
};
