/*
title: Placeholder text
severity: medium
category: content
definition: The page is indexable, and its title, H1 or description contains lorem ipsum.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: Users and search engines see an unfinished page.
fix: Write the text, or unpublish the page
owner: content
evidence: [title, h1, meta_description]
cases:
  has:
    - {is_indexable: true, h1: Lorem Ipsum}
    - {is_indexable: true, meta_description: about lorem ipsum dolor}
    - {is_indexable: true, title: Lorem, h1: Ipsum}
    - {is_indexable: true, h1: Lorem, meta_description: ipsum}
  has_not: [{is_indexable: true, title: Lorem}, {is_indexable: false, h1: Lorem Ipsum}]
*/
SELECT crawl_id, project_id, url, 'contains lorem ipsum' AS why
FROM mart.pages
WHERE is_indexable
  AND lower(coalesce(title, '') || ' ' || coalesce(h1, '') || ' ' || coalesce(meta_description, '')) LIKE '%lorem ipsum%'
