/*
title: Large image
severity: medium
category: images
definition: The page returns 200, and its largest image is larger than $kb KB (largest_img_weight; Screaming Frog uses 100). The size is known only for pages that the crawl rendered with their images.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: A large image delays the content, especially on phones.
fix: Resize the image to the displayed size, and use a modern format such as AVIF or WebP
owner: content
evidence: [status_code, largest_img_weight]
thresholds: {kb: {default: 100, unit: KB}}
cases:
  has: [{status_code: 200, largest_img_weight: 101}]
  has_not:
    - {status_code: 200, largest_img_weight: 100}
    - {status_code: 200, largest_img_weight: null}
    - {status_code: 404, largest_img_weight: 101}
*/
SELECT crawl_id, project_id, url, 'an image of ' || CAST(largest_img_weight AS VARCHAR) || ' KB' AS why
FROM mart.pages
WHERE status_code = 200 AND largest_img_weight > $kb
