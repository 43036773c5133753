/** End reasons of crawls without a report (spec-notes.md 24). */
export const END_REASONS_WITHOUT_REPORT: readonly string[] = [
  'crawl_already_running',
  'quota_reached_before_start',
  'user_cancelled',
  'no_active_subscription',
];
