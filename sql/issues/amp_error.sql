/*
title: AMP page returns an error
severity: medium
category: availability
definition: The page returns 200, and its AMP page (amp_url) returns a status of 400 to 599.
source: https://developers.google.com/search/docs/crawling-indexing/amp/enhance-amp
why_it_matters: Search engines that request the AMP page receive an error.
fix: Make the AMP page return 200, or remove <link rel="amphtml"> from the page
owner: template
evidence: [status_code, amp_url, amp_status_code]
cases:
  has: [{status_code: 200, amp_status_code: 400}, {status_code: 200, amp_status_code: 404}, {status_code: 200, amp_status_code: 599, amp_url: 'https://example.org/amp'}]
  has_not: [{status_code: 200, amp_status_code: 301}, {status_code: 200, amp_status_code: 399}, {status_code: 404, amp_status_code: 404}, {status_code: 200, amp_status_code: 600}, {status_code: 200, amp_status_code: null}]
*/
SELECT crawl_id, project_id, url, 'AMP page with HTTP status ' || CAST(amp_status_code AS VARCHAR) AS why, amp_url AS related_url
FROM mart.pages
WHERE status_code = 200 AND amp_status_code BETWEEN 400 AND 599
