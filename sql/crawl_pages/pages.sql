/*
name: mart.pages
kind: view
description: >-
  One row a page and crawl: the fields that most questions need, under the service's own names. All others, and the
  project's own (`page_group_*`, `custom_*`), are in raw.crawl_pages, which joins on _crawl_id and url. A field
  that a crawl's export did not have is NULL; ops.unit_fields tells that apart from a NULL that the service sent.
grain: [crawl_id, url]
columns:
  crawl_id: Identifier of the crawl (raw.crawl_pages._crawl_id).
  project_id: Identifier of its project (raw.crawl_pages._project_id).
  url: Full URL with protocol (raw.crawl_pages.url).
  url_host: Host of the URL (raw.crawl_pages.url_host).
  url_first_path: First directory of the URL, or / (raw.crawl_pages.url_first_path).
  url_has_params: Whether the URL has a query string (raw.crawl_pages.url_has_params).
  fetched: Whether the crawler fetched the page (raw.crawl_pages.fetched).
  fetch_status: How fetching it went (raw.crawl_pages.fetch_status).
  fetch_date: When it was fetched, a point in time (raw.crawl_pages.fetch_date).
  status_code: HTTP status; NULL when nothing answered or nobody asked (raw.crawl_pages.status_code).
  status_code_range: ok, redirect, client_error or server_error (raw.crawl_pages.status_code_range).
  depth: Clicks from the start URL; NULL when no link leads there (raw.crawl_pages.depth).
  sources: How the page became known, as in crawler, sitemaps, logs (raw.crawl_pages.sources).
  sitemaps_file_origin: Sitemap files that list it (raw.crawl_pages.sitemaps_file_origin).
  is_indexable: >-
    Whether a search engine may index the page. False when its status_code is not 200, meta_robots_index is false,
    robots_txt_denied is true or canonical_evaluation is not_matching. True when its status_code is 200 and nothing
    known speaks against it: a field that the export did not have does not. NULL when its status is not known.
  meta_robots: Directives of the robots meta tag (raw.crawl_pages.meta_robots).
  meta_robots_index: False when the robots meta tag says noindex (raw.crawl_pages.meta_robots_index).
  meta_robots_follow: False when the robots meta tag says nofollow (raw.crawl_pages.meta_robots_follow).
  robots_txt_denied: Whether robots.txt denies it (raw.crawl_pages.robots_txt_denied).
  rel_canonical: Canonical URL that the page declares (raw.crawl_pages.rel_canonical).
  canonical_evaluation: matching, not_matching or not_set (raw.crawl_pages.canonical_evaluation).
  redirect_location: URL it redirects to (raw.crawl_pages.redirect_location).
  redirect_count: Number of redirects of the chain that begins here (raw.crawl_pages.redirect_count).
  final_redirect_location: URL at the end of the chain (raw.crawl_pages.final_redirect_location).
  final_redirect_status: HTTP status at the end of the chain (raw.crawl_pages.final_redirect_status).
  is_redirect_loop: Whether the chain comes back to itself (raw.crawl_pages.is_redirect_loop).
  is_too_many_redirects: Whether the chain has more than 16 redirects (raw.crawl_pages.is_too_many_redirects).
  nb_inlinks: Number of links to the page from pages of the site (raw.crawl_pages.nb_inlinks).
  follow_inlinks: Of these, the ones to be followed (raw.crawl_pages.follow_inlinks).
  nofollow_inlinks: Of these, the ones not to be followed (raw.crawl_pages.nofollow_inlinks).
  internal_outlinks: Number of links from the page to pages of the site (raw.crawl_pages.internal_outlinks).
  external_outlinks: Number of links from the page to other sites (raw.crawl_pages.external_outlinks).
  inrank: Popularity by internal links, 0 to 10, whole (raw.crawl_pages.inrank).
  inrank_decimal: The same with decimals (raw.crawl_pages.inrank_decimal).
  title: Content of the title tag (raw.crawl_pages.title).
  title_evaluation: unique, duplicated or not_set (raw.crawl_pages.title_evaluation).
  duplicate_title_status: How its duplicates are handled, as in canonical_ok (raw.crawl_pages.duplicate_title_status).
  has_duplicate_title_issue: >-
    Whether duplication of the title is left unhandled by canonicals and hreflang
    (raw.crawl_pages.has_duplicate_title_issue).
  h1: Content of the h1 tag (raw.crawl_pages.h1).
  h1_evaluation: unique, duplicated or not_set (raw.crawl_pages.h1_evaluation).
  duplicate_h1_status: How its duplicates are handled (raw.crawl_pages.duplicate_h1_status).
  has_duplicate_h1_issue: Whether duplication of the H1 is left unhandled (raw.crawl_pages.has_duplicate_h1_issue).
  meta_description: Content of the description meta tag (raw.crawl_pages.meta_description).
  description_evaluation: unique, duplicated or not_set (raw.crawl_pages.description_evaluation).
  duplicate_description_status: How its duplicates are handled (raw.crawl_pages.duplicate_description_status).
  has_duplicate_description_issue: >-
    Whether duplication of the description is left unhandled (raw.crawl_pages.has_duplicate_description_issue).
  clusters: Identifiers of the clusters of similar pages it is in (raw.crawl_pages.clusters).
  nearduplicate_content: Whether its content is much like that of another page (raw.crawl_pages.nearduplicate_content).
  nearduplicate_content_similarity: >-
    How much alike they are, a share of 0 to 1 (raw.crawl_pages.nearduplicate_content_similarity).
  nearduplicate_status: How near duplicates are handled (raw.crawl_pages.nearduplicate_status).
  has_nearduplicate_issue: Whether near duplicates are left unhandled (raw.crawl_pages.has_nearduplicate_issue).
  language: Language, an ISO 639 code of two letters (raw.crawl_pages.language).
  hreflang_cluster_id: Identifier of its cluster of language versions (raw.crawl_pages.hreflang_cluster_id).
  word_count: Number of words (raw.crawl_pages.word_count).
  load_time: Time to the last byte, in milliseconds (raw.crawl_pages.load_time).
  weight: Size in KB (raw.crawl_pages.weight).
  semantic_types: Types of structured data on the page (raw.crawl_pages.semantic_types).
reads:
  raw.crawl_pages:
    _crawl_id: VARCHAR
    _project_id: VARCHAR
    url: VARCHAR
    url_host: VARCHAR
    url_first_path: VARCHAR
    url_has_params: BOOLEAN
    fetched: BOOLEAN
    fetch_status: VARCHAR
    fetch_date: TIMESTAMP WITH TIME ZONE
    status_code: BIGINT
    status_code_range: VARCHAR
    depth: BIGINT
    sources: VARCHAR[]
    sitemaps_file_origin: VARCHAR[]
    meta_robots: VARCHAR[]
    meta_robots_index: BOOLEAN
    meta_robots_follow: BOOLEAN
    robots_txt_denied: BOOLEAN
    rel_canonical: VARCHAR
    canonical_evaluation: VARCHAR
    redirect_location: VARCHAR
    redirect_count: BIGINT
    final_redirect_location: VARCHAR
    final_redirect_status: BIGINT
    is_redirect_loop: BOOLEAN
    is_too_many_redirects: BOOLEAN
    nb_inlinks: BIGINT
    follow_inlinks: BIGINT
    nofollow_inlinks: BIGINT
    internal_outlinks: BIGINT
    external_outlinks: BIGINT
    inrank: BIGINT
    inrank_decimal: DOUBLE
    title: VARCHAR
    title_evaluation: VARCHAR
    duplicate_title_status: VARCHAR
    has_duplicate_title_issue: BOOLEAN
    h1: VARCHAR
    h1_evaluation: VARCHAR
    duplicate_h1_status: VARCHAR
    has_duplicate_h1_issue: BOOLEAN
    meta_description: VARCHAR
    description_evaluation: VARCHAR
    duplicate_description_status: VARCHAR
    has_duplicate_description_issue: BOOLEAN
    clusters: VARCHAR[]
    nearduplicate_content: BOOLEAN
    nearduplicate_content_similarity: DOUBLE
    nearduplicate_status: VARCHAR
    has_nearduplicate_issue: BOOLEAN
    language: VARCHAR
    hreflang_cluster_id: VARCHAR
    word_count: BIGINT
    load_time: BIGINT
    weight: BIGINT
    semantic_types: VARCHAR[]
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  partitions: SELECT source_id AS crawl_id, loaded_at FROM ops.loads WHERE dataset = 'crawl_pages'
*/
SELECT
  _crawl_id AS crawl_id,
  _project_id AS project_id,

  url,
  url_host,
  url_first_path,
  url_has_params,

  fetched,
  fetch_status,
  fetch_date,
  status_code,
  status_code_range,
  depth,
  sources,
  sitemaps_file_origin,

  CASE
    WHEN status_code <> 200 THEN false
    WHEN NOT meta_robots_index THEN false
    WHEN robots_txt_denied THEN false
    WHEN canonical_evaluation = 'not_matching' THEN false
    WHEN status_code = 200 THEN true
  END AS is_indexable,
  meta_robots,
  meta_robots_index,
  meta_robots_follow,
  robots_txt_denied,
  rel_canonical,
  canonical_evaluation,

  redirect_location,
  redirect_count,
  final_redirect_location,
  final_redirect_status,
  is_redirect_loop,
  is_too_many_redirects,

  nb_inlinks,
  follow_inlinks,
  nofollow_inlinks,
  internal_outlinks,
  external_outlinks,
  inrank,
  inrank_decimal,

  title,
  title_evaluation,
  duplicate_title_status,
  has_duplicate_title_issue,
  h1,
  h1_evaluation,
  duplicate_h1_status,
  has_duplicate_h1_issue,
  meta_description,
  description_evaluation,
  duplicate_description_status,
  has_duplicate_description_issue,
  clusters,
  nearduplicate_content,
  nearduplicate_content_similarity,
  nearduplicate_status,
  has_nearduplicate_issue,

  language,
  hreflang_cluster_id,
  word_count,
  load_time,
  weight,
  semantic_types
FROM raw.crawl_pages
