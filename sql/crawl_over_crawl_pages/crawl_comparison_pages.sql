/*
name: mart.crawl_comparison_pages
kind: view
description: >-
  One row for each page of two crawls that the service compared, with the values of both crawls; crawl1 is the base. All
  other fields are in raw.crawl_over_crawl_pages. mart.page_changes compares consecutive crawls without the service.
grain: {columns: [comparison_id, url], severity: warn}
columns:
  comparison_id: Identifier of the comparison (raw.crawl_over_crawl_pages._source_id).
  project_id: Identifier of its project (raw.crawl_over_crawl_pages._project_id).
  crawl1_id: Identifier of the base crawl; NULL if the comparison is not listed (raw.crawl_over_crawls.crawl1_id).
  crawl2_id: Identifier of the crawl that is compared with the base crawl (raw.crawl_over_crawls.crawl2_id).
  url: URL by which the pages of both crawls were matched (raw.crawl_over_crawl_pages.url).
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  presence: in_both, only_crawl1 or only_crawl2 (raw.crawl_over_crawl_pages.presence).
  crawl1_url: >-
    URL of the page in that crawl, before any rewriting of URLs, base crawl (raw.crawl_over_crawl_pages.crawl1_url).
  crawl2_url: >-
    URL of the page in that crawl, before any rewriting of URLs, compared crawl (raw.crawl_over_crawl_pages.crawl2_url).
  crawl1_status_code: HTTP status, base crawl (raw.crawl_over_crawl_pages.crawl1_status_code).
  crawl2_status_code: HTTP status, compared crawl (raw.crawl_over_crawl_pages.crawl2_status_code).
  crawl1_depth: Clicks from the start URL, base crawl (raw.crawl_over_crawl_pages.crawl1_depth).
  crawl2_depth: Clicks from the start URL, compared crawl (raw.crawl_over_crawl_pages.crawl2_depth).
  crawl1_inrank: Popularity by internal links, 0 to 10, base crawl (raw.crawl_over_crawl_pages.crawl1_inrank).
  crawl2_inrank: Popularity by internal links, 0 to 10, compared crawl (raw.crawl_over_crawl_pages.crawl2_inrank).
  crawl1_nb_inlinks: >-
    Number of links to the page from pages of the site, base crawl (raw.crawl_over_crawl_pages.crawl1_nb_inlinks).
  crawl2_nb_inlinks: >-
    Number of links to the page from pages of the site, compared crawl (raw.crawl_over_crawl_pages.crawl2_nb_inlinks).
  crawl1_internal_outlinks: >-
    Number of links from the page to pages of the site, base crawl
    (raw.crawl_over_crawl_pages.crawl1_internal_outlinks).
  crawl2_internal_outlinks: >-
    Number of links from the page to pages of the site, compared crawl
    (raw.crawl_over_crawl_pages.crawl2_internal_outlinks).
  crawl1_title: Content of the title tag, base crawl (raw.crawl_over_crawl_pages.crawl1_title).
  crawl2_title: Content of the title tag, compared crawl (raw.crawl_over_crawl_pages.crawl2_title).
  crawl1_h1: Content of the h1 tag, base crawl (raw.crawl_over_crawl_pages.crawl1_h1).
  crawl2_h1: Content of the h1 tag, compared crawl (raw.crawl_over_crawl_pages.crawl2_h1).
  crawl1_meta_description: >-
    Content of the description meta tag, base crawl (raw.crawl_over_crawl_pages.crawl1_meta_description).
  crawl2_meta_description: >-
    Content of the description meta tag, compared crawl (raw.crawl_over_crawl_pages.crawl2_meta_description).
  crawl1_word_count: Number of words, base crawl (raw.crawl_over_crawl_pages.crawl1_word_count).
  crawl2_word_count: Number of words, compared crawl (raw.crawl_over_crawl_pages.crawl2_word_count).
  crawl1_load_time: Time to the last byte, in milliseconds, base crawl (raw.crawl_over_crawl_pages.crawl1_load_time).
  crawl2_load_time: >-
    Time to the last byte, in milliseconds, compared crawl (raw.crawl_over_crawl_pages.crawl2_load_time).
  crawl1_meta_robots_index: >-
    False when the robots meta tag contains noindex, base crawl (raw.crawl_over_crawl_pages.crawl1_meta_robots_index).
  crawl2_meta_robots_index: >-
    False when the robots meta tag contains noindex, compared crawl
    (raw.crawl_over_crawl_pages.crawl2_meta_robots_index).
  crawl1_robots_txt_denied: >-
    Whether robots.txt blocks the page, base crawl (raw.crawl_over_crawl_pages.crawl1_robots_txt_denied).
  crawl2_robots_txt_denied: >-
    Whether robots.txt blocks the page, compared crawl (raw.crawl_over_crawl_pages.crawl2_robots_txt_denied).
  crawl1_rel_canonical: >-
    Canonical URL that the page declares, base crawl (raw.crawl_over_crawl_pages.crawl1_rel_canonical).
  crawl2_rel_canonical: >-
    Canonical URL that the page declares, compared crawl (raw.crawl_over_crawl_pages.crawl2_rel_canonical).
  crawl1_canonical_evaluation: >-
    matching, not_matching or not_set, base crawl (raw.crawl_over_crawl_pages.crawl1_canonical_evaluation).
  crawl2_canonical_evaluation: >-
    matching, not_matching or not_set, compared crawl (raw.crawl_over_crawl_pages.crawl2_canonical_evaluation).
  crawl1_redirect_location: >-
    URL that the page redirects to, base crawl (raw.crawl_over_crawl_pages.crawl1_redirect_location).
  crawl2_redirect_location: >-
    URL that the page redirects to, compared crawl (raw.crawl_over_crawl_pages.crawl2_redirect_location).
  crawl1_final_redirect_status: >-
    HTTP status at the end of its redirects, base crawl (raw.crawl_over_crawl_pages.crawl1_final_redirect_status).
  crawl2_final_redirect_status: >-
    HTTP status at the end of its redirects, compared crawl (raw.crawl_over_crawl_pages.crawl2_final_redirect_status).
  _load_id: >-
    Run and unit that loaded the row, separated by a space (raw.crawl_over_crawl_pages._run_id,
    raw.crawl_over_crawl_pages._unit). ops.tombstones contains it once the row is replaced or removed.
  _loaded_at: When the row was loaded (raw.crawl_over_crawl_pages._loaded_at).
reads:
  raw.crawl_over_crawl_pages:
    _source_id: VARCHAR
    _project_id: VARCHAR
    _unit: VARCHAR
    _run_id: VARCHAR
    _loaded_at: TIMESTAMP WITH TIME ZONE
    url: VARCHAR
    presence: VARCHAR
    crawl1_url: VARCHAR
    crawl2_url: VARCHAR
    crawl1_status_code: BIGINT
    crawl2_status_code: BIGINT
    crawl1_depth: BIGINT
    crawl2_depth: BIGINT
    crawl1_inrank: BIGINT
    crawl2_inrank: BIGINT
    crawl1_nb_inlinks: BIGINT
    crawl2_nb_inlinks: BIGINT
    crawl1_internal_outlinks: BIGINT
    crawl2_internal_outlinks: BIGINT
    crawl1_title: VARCHAR
    crawl2_title: VARCHAR
    crawl1_h1: VARCHAR
    crawl2_h1: VARCHAR
    crawl1_meta_description: VARCHAR
    crawl2_meta_description: VARCHAR
    crawl1_word_count: BIGINT
    crawl2_word_count: BIGINT
    crawl1_load_time: BIGINT
    crawl2_load_time: BIGINT
    crawl1_meta_robots_index: BOOLEAN
    crawl2_meta_robots_index: BOOLEAN
    crawl1_robots_txt_denied: BOOLEAN
    crawl2_robots_txt_denied: BOOLEAN
    crawl1_rel_canonical: VARCHAR
    crawl2_rel_canonical: VARCHAR
    crawl1_canonical_evaluation: VARCHAR
    crawl2_canonical_evaluation: VARCHAR
    crawl1_redirect_location: VARCHAR
    crawl2_redirect_location: VARCHAR
    crawl1_final_redirect_status: BIGINT
    crawl2_final_redirect_status: BIGINT
  raw.crawl_over_crawls:
    id: VARCHAR
    crawl1_id: VARCHAR
    crawl2_id: VARCHAR
    _seen_to: TIMESTAMP WITH TIME ZONE
    _loaded_at: TIMESTAMP WITH TIME ZONE
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: comparison_id
  partitions: |
    SELECT source_id AS comparison_id, loaded_at
    FROM ops.loads
    WHERE dataset = 'crawl_over_crawl_pages'
*/
WITH
  -- The present record of each comparison, or else the last one.
  comparison AS (
    SELECT id, crawl1_id, crawl2_id
    FROM (
      SELECT
        id,
        crawl1_id,
        crawl2_id,
        row_number() OVER (PARTITION BY id ORDER BY _seen_to DESC NULLS FIRST, _loaded_at DESC) AS place
      FROM raw.crawl_over_crawls
    ) AS ranked
    WHERE place = 1
  )

SELECT
  pages._source_id AS comparison_id,
  pages._project_id AS project_id,
  comparison.crawl1_id,
  comparison.crawl2_id,

  pages.url,
  pages._project_id || ' ' || pages.url AS url_key,
  pages.presence,
  pages.crawl1_url,
  pages.crawl2_url,
  pages.crawl1_status_code,
  pages.crawl2_status_code,
  pages.crawl1_depth,
  pages.crawl2_depth,
  pages.crawl1_inrank,
  pages.crawl2_inrank,
  pages.crawl1_nb_inlinks,
  pages.crawl2_nb_inlinks,
  pages.crawl1_internal_outlinks,
  pages.crawl2_internal_outlinks,
  pages.crawl1_title,
  pages.crawl2_title,
  pages.crawl1_h1,
  pages.crawl2_h1,
  pages.crawl1_meta_description,
  pages.crawl2_meta_description,
  pages.crawl1_word_count,
  pages.crawl2_word_count,
  pages.crawl1_load_time,
  pages.crawl2_load_time,
  pages.crawl1_meta_robots_index,
  pages.crawl2_meta_robots_index,
  pages.crawl1_robots_txt_denied,
  pages.crawl2_robots_txt_denied,
  pages.crawl1_rel_canonical,
  pages.crawl2_rel_canonical,
  pages.crawl1_canonical_evaluation,
  pages.crawl2_canonical_evaluation,
  pages.crawl1_redirect_location,
  pages.crawl2_redirect_location,
  pages.crawl1_final_redirect_status,
  pages.crawl2_final_redirect_status,

  pages._run_id || ' ' || pages._unit AS _load_id,
  pages._loaded_at
FROM raw.crawl_over_crawl_pages AS pages
LEFT JOIN comparison ON comparison.id = pages._source_id
