/*
title: Canonicals that differ
severity: medium
category: canonicals
definition: >-
  The page answers 200 and declares two or more different URLs as its canonical (canonicals).
source: https://developers.google.com/search/blog/2013/04/5-common-mistakes-with-relcanonical
why_it_matters: Google ignores all of them, and chooses a page itself.
fix: Declare one canonical, in the head or in the header
mended_by: template
evidence: [canonicals]
cases:
  has: [{status_code: 200, canonicals: [a, b]}]
  has_not: [{status_code: 200, canonicals: [a]}, {status_code: 200, canonicals: null}, {status_code: 404, canonicals: [a, b]}]
*/
SELECT crawl_id, project_id, url, 'canonicals ' || array_to_string(canonicals, ', ') AS why, CASE WHEN list_extract(canonicals, 1) = url THEN list_extract(canonicals, 2) ELSE list_extract(canonicals, 1) END AS related_url
FROM mart.pages
WHERE status_code = 200 AND array_length(canonicals) > 1
