/*
title: Conflicting canonicals
severity: medium
category: canonicals
definition: The page returns 200 and declares at least two different URLs as its canonical (canonicals).
source: https://developers.google.com/search/blog/2013/04/5-common-mistakes-with-relcanonical
why_it_matters: Google ignores all of these canonicals and chooses a URL itself.
fix: Keep one canonical, either in the head or in the Link HTTP header
owner: template
evidence: [canonicals]
cases:
  has: [{status_code: 200, canonicals: [a, b]}]
  has_not: [{status_code: 200, canonicals: [a]}, {status_code: 200, canonicals: null}, {status_code: 404, canonicals: [a, b]}]
*/
SELECT crawl_id, project_id, url, 'canonicals ' || array_to_string(canonicals, ', ') AS why, CASE WHEN list_extract(canonicals, 1) = url THEN list_extract(canonicals, 2) ELSE list_extract(canonicals, 1) END AS related_url
FROM mart.pages
WHERE status_code = 200 AND array_length(canonicals) > 1
