/*
title: Low text-to-code ratio
severity: low
category: content
definition: The page is indexable, and its text-to-code ratio (text_to_code) is below $ratio.
source: https://sitebulb.com/hints/on-page/
why_it_matters: Most of the HTML is code, so the page loads slowly even though it contains little text.
fix: Remove code from the page, or write more text
owner: template
evidence: [text_to_code]
thresholds: {ratio: {default: 0.1, unit: 'text by code, 0 to 1'}}
cases:
  has:
    - {is_indexable: true, text_to_code: 0.09}
    - {is_indexable: true, text_to_code: 0.0449}
    - {is_indexable: true, text_to_code: 0.0552}
  has_not: [{is_indexable: true, text_to_code: 0.1}, {is_indexable: false, text_to_code: 0.01}]
*/
SELECT crawl_id, project_id, url, CAST(CAST(round(CAST(100 * text_to_code AS DECIMAL(38, 9))) AS BIGINT) AS VARCHAR) || ' % of the page is text' AS why
FROM mart.pages
WHERE is_indexable AND text_to_code < $ratio
