/*
title: Large image
severity: medium
category: images
definition: >-
  The page answers 200, and largest_img_weight is above $kb KB (Screaming Frog takes 100). It is known of pages that are
  rendered with their images.
source: https://www.screamingfrog.co.uk/seo-spider/issues/
why_it_matters: One large image delays what people come for, above all on phones.
fix: Send it in the size that is shown, in a newer format such as AVIF or WebP
mended_by: content
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
