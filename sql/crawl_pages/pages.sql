/*
name: mart.pages
kind: view
description: >-
  One row for each page and crawl, with the fields that most questions need under the service's own names, and all
  fields that the project has scraped (`custom_*`). All other fields are in raw.crawl_pages, which joins on _crawl_id
  and url. The project's own segmentations (`page_group_*`) are in mart.page_segments. docs/definitions.md defines
  is_indexable. A field that a crawl's export did not have is NULL; ops.unit_fields distinguishes this from a NULL of
  the service.
grain: [crawl_id, url]
columns:
  crawl_id: Identifier of the crawl (raw.crawl_pages._crawl_id).
  project_id: Identifier of its project (raw.crawl_pages._project_id).
  url: Full URL with its protocol (raw.crawl_pages.url).
  page_key: The crawl's identifier, a space and the URL, as a key of one column.
  url_key: The project's identifier, a space and the URL (mart.urls.url_key).
  url_host: Host of the URL (raw.crawl_pages.url_host).
  urlpath: Path of the URL, without its query string (raw.crawl_pages.urlpath).
  url_first_path: First directory of the URL, or / (raw.crawl_pages.url_first_path).
  url_has_params: Whether the URL has a query string (raw.crawl_pages.url_has_params).
  content_kind: >-
    Kind of content, by Content-Type and first bytes: html, pdf or text (pages), or image, video, audio, archive,
    office, feed, calendar, json, xml, script, style, font or other; NULL if the crawl does not report it
    (raw.crawl_pages.content_kind).
  is_resource: >-
    Whether the URL is a file, not a page: content_kind is other than html, pdf and text. If content_kind is NULL, the
    name in the URL must be that of a file, and neither title nor word_count may be known (docs/definitions.md, orphan).
  fetched: Whether the crawler fetched the page (raw.crawl_pages.fetched).
  fetch_status: >-
    Result of the fetch: fetched_2xx to fetched_5xx, unfetched_robots_denied or unfetched_exception
    (raw.crawl_pages.fetch_status).
  fetch_date: When the crawler fetched the page (raw.crawl_pages.fetch_date).
  processing_warnings: >-
    Why the page was not fetched, rendered or read as a whole, such as timeout or truncated
    (raw.crawl_pages.processing_warnings).
  http_version: HTTP version of the response, such as 1.1 (raw.crawl_pages.http_version).
  tls_version: TLS version of the connection, such as TLSv1.3 (raw.crawl_pages.tls_version).
  offers_http2: Whether the host supports HTTP/2 (raw.crawl_pages.offers_http2).
  status_code: HTTP status of the response; NULL without a response (raw.crawl_pages.status_code).
  status_code_range: >-
    ok, redirect, client_error or server_error (raw.crawl_pages.status_code_range, else by status_code).
  depth: Number of clicks from the start URL; NULL if no link leads there (raw.crawl_pages.depth).
  sources: >-
    How the page became known: the crawler, connectors, ingested data, log files, sitemaps (raw.crawl_pages.sources).
  sitemaps_file_origin: Sitemap files that list the page (raw.crawl_pages.sitemaps_file_origin).
  is_indexable: >-
    Whether a search engine may index the page. False when non_indexable_reason has a reason. True when the status_code
    is 200 or the service reports it (raw.crawl_pages.indexable), and no other field contradicts. Otherwise NULL, also
    where its content could not be read (unreadable_content or not_parsed in processing_warnings), and where the server
    refused the crawler or robots.txt could not be read.
  non_indexable_reason: >-
    The first reason that applies: robots_denied, no_answer, redirect, client_error, server_error, other_status,
    noindex, canonicalised or service (the service reports it without another reason); NULL if none applies.
  observation: >-
    What the crawl saw of the page (docs/definitions.md, observation): read, not_requested, refused, unreadable or gone;
    NULL if the export has no field that shows it.
  observation_reason: >-
    Why the crawl did not read the page: blocked_by_robots, robots_unavailable or not_fetched (not_requested);
    unauthorized, forbidden, too_many_requests or try_later (refused); no_answer, server_error, client_error,
    broken_body or other_status (unreadable); not_found or removed (gone). NULL for a page that was read.
  is_robots_denied: >-
    Whether robots.txt blocks the page (raw.crawl_pages.robots_txt_denied, raw.crawl_pages.fetch_status). NULL if
    robots.txt could not be read (robots_unavailable in processing_warnings).
  is_noindex: >-
    Whether the page has noindex (raw.crawl_pages.meta_robots_index, else noindex or none among
    raw.crawl_pages.meta_robots).
  is_canonicalised: >-
    Whether the page declares another page as its canonical (raw.crawl_pages.canonical_evaluation, else
    raw.crawl_pages.rel_canonical against raw.crawl_pages.url).
  canonical_url: Canonical that the page declares, as an absolute URL (raw.crawl_pages.rel_canonical).
  canonical_kind: >-
    not_set, self, or the greatest difference between canonical and URL: slash, scheme, case, host or path. NULL if the
    canonical is unknown.
  meta_robots: Directives of the robots meta tag (raw.crawl_pages.meta_robots).
  noindex_robots: >-
    Search engine bots for which the page has noindex by name, such as googlebot (raw.crawl_pages.noindex_robots).
  denied_robots: >-
    Search engine bots that robots.txt blocks from the page, such as googlebot (raw.crawl_pages.denied_robots).
  meta_robots_index: Whether the robots meta tag allows the page to be indexed (raw.crawl_pages.meta_robots_index).
  meta_robots_follow: Whether the robots meta tag allows links to be followed (raw.crawl_pages.meta_robots_follow).
  robots_txt_denied: Whether robots.txt blocks the page (raw.crawl_pages.robots_txt_denied).
  rel_canonical: Canonical URL that the page declares (raw.crawl_pages.rel_canonical).
  canonicals: Different canonical URLs that the page declares (raw.crawl_pages.canonicals).
  canonical_outside_head: >-
    Canonical URL that is declared outside the head, where search engines ignore it
    (raw.crawl_pages.canonical_outside_head).
  declared_canonical: >-
    The canonical as written (raw.crawl_pages.declared_canonical, else raw.crawl_pages.rel_canonical).
  canonical_evaluation: >-
    Whether the declared canonical is the page itself: matching, not_matching or not_set
    (raw.crawl_pages.canonical_evaluation).
  rel_next: URL that the page declares as the next one of a series (raw.crawl_pages.rel_next).
  rel_prev: URL that the page declares as the previous one of a series (raw.crawl_pages.rel_prev).
  pagination_errors: >-
    Errors of the previous and next page that the page declares in a series: target_missing, target_redirects or
    target_not_indexable (raw.crawl_pages.pagination_errors).
  amp_url: URL of the AMP version that the page declares (raw.crawl_pages.amp_url).
  amp_status_code: >-
    HTTP status of the AMP version that the page declares; NULL if it was not fetched (raw.crawl_pages.amp_status_code).
  redirect_location: URL that the page redirects to (raw.crawl_pages.redirect_location).
  redirect_count: Number of redirects in the chain that begins here (raw.crawl_pages.redirect_count).
  final_redirect_location: >-
    URL at the end of the redirect chain that begins here (raw.crawl_pages.final_redirect_location).
  final_redirect_status: >-
    HTTP status of the URL at the end of the redirect chain (raw.crawl_pages.final_redirect_status).
  is_redirect_loop: Whether the redirect chain returns to one of its URLs (raw.crawl_pages.is_redirect_loop).
  is_too_many_redirects: Whether the redirect chain has more than 16 redirects (raw.crawl_pages.is_too_many_redirects).
  nb_inlinks: Number of links to the page from pages of the site (raw.crawl_pages.nb_inlinks).
  follow_inlinks: Number of links to the page that are to be followed (raw.crawl_pages.follow_inlinks).
  nofollow_inlinks: Number of links to the page that are not to be followed (raw.crawl_pages.nofollow_inlinks).
  internal_outlinks: Number of links from the page to pages of the site (raw.crawl_pages.internal_outlinks).
  internal_nofollow_outlinks: >-
    Number of links from the page to pages of the site that are not to be followed
    (raw.crawl_pages.internal_nofollow_outlinks).
  external_outlinks: Number of links from the page to other sites (raw.crawl_pages.external_outlinks).
  nb_links_self_referencing: Number of links from the page to itself (raw.crawl_pages.nb_links_self_referencing).
  inrank: Popularity by internal links, a whole number from 0 to 10 (raw.crawl_pages.inrank).
  inrank_decimal: Popularity by internal links, from 0 to 10, with decimals (raw.crawl_pages.inrank_decimal).
  title: Content of the title tag (raw.crawl_pages.title).
  title_length: Number of characters in the title (raw.crawl_pages.title_length).
  title_width: >-
    Width of the title: its number of characters in Unicode's composed form (NFC), where a full-width character
    (Chinese, Japanese or Korean) counts as two; title_length where the title is NULL.
  num_titles: Number of title tags (raw.crawl_pages.num_titles).
  title_evaluation: Whether the title is unique, duplicated or not_set (raw.crawl_pages.title_evaluation).
  duplicate_title_status: >-
    How duplicates of the title are handled: by canonicals, by hreflang, or not
    (raw.crawl_pages.duplicate_title_status).
  has_duplicate_title_issue: >-
    Whether neither canonicals nor hreflang handle duplicates of the title (raw.crawl_pages.has_duplicate_title_issue).
  h1: Content of the H1 (raw.crawl_pages.h1).
  h1_width: Width of the H1, as title_width.
  num_h1: Number of H1 tags (raw.crawl_pages.num_h1).
  num_h2: Number of H2 tags (raw.crawl_pages.num_h2).
  h1_evaluation: Whether the H1 is unique, duplicated or not_set (raw.crawl_pages.h1_evaluation).
  duplicate_h1_status: >-
    How duplicates of the H1 are handled: by canonicals, by hreflang, or not (raw.crawl_pages.duplicate_h1_status).
  has_duplicate_h1_issue: >-
    Whether neither canonicals nor hreflang handle duplicates of the H1 (raw.crawl_pages.has_duplicate_h1_issue).
  meta_description: Content of the description meta tag (raw.crawl_pages.meta_description).
  description_length: Number of characters in the meta description (raw.crawl_pages.description_length).
  description_width: Width of the description, as title_width; description_length where it is NULL.
  num_descriptions: Number of meta descriptions (raw.crawl_pages.num_descriptions).
  description_evaluation: >-
    Whether the meta description is unique, duplicated or not_set (raw.crawl_pages.description_evaluation).
  duplicate_description_status: >-
    How duplicates of the meta description are handled: by canonicals, by hreflang, or not
    (raw.crawl_pages.duplicate_description_status).
  has_duplicate_description_issue: >-
    Whether neither canonicals nor hreflang handle duplicates of the meta description
    (raw.crawl_pages.has_duplicate_description_issue).
  clusters: Identifiers of the clusters of similar pages that the page is in (raw.crawl_pages.clusters).
  nearduplicate_content: Whether another page has nearly the same content (raw.crawl_pages.nearduplicate_content).
  nearduplicate_content_similarity: >-
    Similarity to its near duplicates, a share from 0 to 1 (raw.crawl_pages.nearduplicate_content_similarity).
  nearduplicate_status: >-
    How near duplicates are handled: by canonicals, by hreflang, or not (raw.crawl_pages.nearduplicate_status).
  has_nearduplicate_issue: >-
    Whether neither canonicals nor hreflang handle near duplicates of the content
    (raw.crawl_pages.has_nearduplicate_issue).
  like_missing_page: >-
    Whether title and content match the response for a page that does not exist (raw.crawl_pages.like_missing_page).
  is_app_shell: Whether the HTML is the shell of an application, the same for every path (raw.crawl_pages.is_app_shell).
  language: Language of the page, as a two-letter ISO 639 code (raw.crawl_pages.language).
  hreflang_cluster_id: >-
    Identifier of the cluster of language versions that the page is in (raw.crawl_pages.hreflang_cluster_id).
  hreflang_hrefs: URLs that the hreflang declarations name (raw.crawl_pages.hreflang_hrefs).
  hreflang_langs: Languages and regions that the hreflang declarations name (raw.crawl_pages.hreflang_langs).
  hreflang_errors: Errors that the service found in the hreflang declarations (raw.crawl_pages.hreflang_errors).
  word_count: >-
    Number of words in the body, including menus, header, footer and text that CSS hides, but not scripts, noscript,
    svg, select, textarea and image texts (raw.crawl_pages.word_count).
  text_to_code: Characters of visible text per character of HTML, from 0 to 1 (raw.crawl_pages.text_to_code).
  load_time: Time to the last byte, in milliseconds (raw.crawl_pages.load_time).
  weight: Size of the page, in KB (raw.crawl_pages.weight).
  num_img: >-
    Number of img elements on the page, including menus and footers, one for each picture; excludes noscript, svg and
    CSS backgrounds (raw.crawl_pages.num_img).
  num_missing_alt: Number of images that need alternative text but have none (raw.crawl_pages.num_missing_alt).
  largest_img_weight: >-
    Size of the largest image that the rendered page loads, in KB (raw.crawl_pages.largest_img_weight).
  semantic_types: Types of the structured data items on the page (raw.crawl_pages.semantic_types).
  semantic_item_count: Number of structured data items on the page (raw.crawl_pages.semantic_item_count).
  meta_refresh_location: URL that a meta refresh of the page leads to (raw.crawl_pages.meta_refresh_location).
  header_canonical: Canonical URL that a Link header declares (raw.crawl_pages.header_canonical).
  compressed: Whether the HTML was sent with a content-encoding (raw.crawl_pages.compressed).
  missing_security_headers: Security headers that the HTML was sent without (raw.crawl_pages.missing_security_headers).
  num_mixed_content: Number of resources of an HTTPS page that are loaded over HTTP (raw.crawl_pages.num_mixed_content).
  num_insecure_forms: Number of forms on an HTTPS page that submit to HTTP (raw.crawl_pages.num_insecure_forms).
  num_img_without_size: Number of images without width and height (raw.crawl_pages.num_img_without_size).
  num_links_without_text: Number of internal links without text (raw.crawl_pages.num_links_without_text).
  num_links_generic_text: >-
    Number of internal links with generic text, such as click here (raw.crawl_pages.num_links_generic_text).
  rendered: >-
    Whether the content is that of the page after scripts ran; NULL if the crawl does not render pages
    (raw.crawl_pages.rendered).
  script_redirect: URL to which scripts or a meta refresh send a browser (raw.crawl_pages.script_redirect).
  unrendered_title: Content of the title tag before scripts ran (raw.crawl_pages.unrendered_title).
  unrendered_rel_canonical: >-
    Canonical URL that the page declares before scripts ran (raw.crawl_pages.unrendered_rel_canonical).
  unrendered_meta_robots_index: >-
    Whether the robots meta tag allows indexing before scripts ran (raw.crawl_pages.unrendered_meta_robots_index).
  unrendered_word_count: Number of words before scripts ran (raw.crawl_pages.unrendered_word_count).
  outlinks_only_rendered: >-
    Number of links to targets that the page links to only after scripts ran (raw.crawl_pages.outlinks_only_rendered).
  num_resources_denied: Number of requested resources that robots.txt blocks (raw.crawl_pages.num_resources_denied).
  cwv_bytes_saving: "Core web vitals: bytes that the page could save (raw.crawl_pages.cwv_bytes_saving)."
  cwv_cls: "Core web vitals: cumulative layout shift (raw.crawl_pages.cwv_cls)."
  cwv_fcp: "Core web vitals: first contentful paint, in milliseconds (raw.crawl_pages.cwv_fcp)."
  cwv_lcp: "Core web vitals: largest contentful paint, in milliseconds (raw.crawl_pages.cwv_lcp)."
  cwv_performance_score: "Core web vitals: performance score (raw.crawl_pages.cwv_performance_score)."
  cwv_si: "Core web vitals: speed index, in milliseconds (raw.crawl_pages.cwv_si)."
  cwv_tbt: "Core web vitals: total blocking time, in milliseconds (raw.crawl_pages.cwv_tbt)."
  cwv_tti: "Core web vitals: time to interactive, in milliseconds (raw.crawl_pages.cwv_tti)."
  cwv_time_saving: "Core web vitals: time that the page could save, in milliseconds (raw.crawl_pages.cwv_time_saving)."
  custom_*: Field that the project defines and the crawler scraped, as in the export (raw.crawl_pages.custom_*).
  _load_id: >-
    Run and unit that loaded the row, separated by a space (raw.crawl_pages._run_id, raw.crawl_pages._unit).
    ops.tombstones contains it once the row is replaced or removed.
  _loaded_at: When the row was loaded (raw.crawl_pages._loaded_at).
reads:
  raw.crawl_pages:
    _crawl_id: VARCHAR
    _project_id: VARCHAR
    _unit: VARCHAR
    _run_id: VARCHAR
    _loaded_at: TIMESTAMP WITH TIME ZONE
    url: VARCHAR
    url_host: VARCHAR
    urlpath: VARCHAR
    url_first_path: VARCHAR
    url_has_params: BOOLEAN
    fetched: BOOLEAN
    robots_txt_denied: BOOLEAN
    offers_http2: BOOLEAN
    fetch_status: VARCHAR
    http_version: VARCHAR
    tls_version: VARCHAR
    fetch_date: TIMESTAMP WITH TIME ZONE
    status_code: BIGINT
    load_time: BIGINT
    weight: BIGINT
    status_code_range: VARCHAR
    sources: VARCHAR[]
    sitemaps_file_origin: VARCHAR[]
    processing_warnings: VARCHAR[]
    meta_robots: VARCHAR[]
    noindex_robots: VARCHAR[]
    denied_robots: VARCHAR[]
    canonicals: VARCHAR[]
    meta_robots_index: BOOLEAN
    meta_robots_follow: BOOLEAN
    rel_canonical: VARCHAR
    declared_canonical: VARCHAR
    canonical_outside_head: VARCHAR
    rel_next: VARCHAR
    rel_prev: VARCHAR
    pagination_errors: VARCHAR[]
    amp_status_code: BIGINT
    canonical_evaluation: VARCHAR
    # An enum or a bool, as the crawl has it: TEXT holds units to neither.
    indexable: TEXT
    redirect_location: VARCHAR
    final_redirect_location: VARCHAR
    final_redirect_status: BIGINT
    redirect_count: BIGINT
    is_redirect_loop: BOOLEAN
    is_too_many_redirects: BOOLEAN
    internal_outlinks: BIGINT
    internal_nofollow_outlinks: BIGINT
    external_outlinks: BIGINT
    nb_links_self_referencing: BIGINT
    inrank: BIGINT
    inrank_decimal: DOUBLE
    content_kind: VARCHAR
    title: VARCHAR
    title_length: BIGINT
    num_titles: BIGINT
    title_evaluation: VARCHAR
    duplicate_title_status: VARCHAR
    has_duplicate_title_issue: BOOLEAN
    h1: VARCHAR
    num_h1: BIGINT
    num_h2: BIGINT
    h1_evaluation: VARCHAR
    duplicate_h1_status: VARCHAR
    has_duplicate_h1_issue: BOOLEAN
    meta_description: VARCHAR
    description_length: BIGINT
    num_descriptions: BIGINT
    description_evaluation: VARCHAR
    duplicate_description_status: VARCHAR
    has_duplicate_description_issue: BOOLEAN
    num_img: BIGINT
    num_missing_alt: BIGINT
    largest_img_weight: BIGINT
    meta_refresh_location: VARCHAR
    amp_url: VARCHAR
    header_canonical: VARCHAR
    meta_refresh_delay: BIGINT
    missing_security_headers: VARCHAR[]
    compressed: BOOLEAN
    num_mixed_content: BIGINT
    num_insecure_forms: BIGINT
    num_img_without_size: BIGINT
    num_links_without_text: BIGINT
    num_links_generic_text: BIGINT
    language: VARCHAR
    word_count: BIGINT
    text_to_code: DOUBLE
    clusters: VARCHAR[]
    nearduplicate_content: BOOLEAN
    has_nearduplicate_issue: BOOLEAN
    nearduplicate_content_similarity: DOUBLE
    nearduplicate_status: VARCHAR
    like_missing_page: BOOLEAN
    is_app_shell: BOOLEAN
    hreflang_cluster_id: VARCHAR
    hreflang_langs: VARCHAR[]
    hreflang_hrefs: VARCHAR[]
    hreflang_errors: VARCHAR[]
    semantic_types: VARCHAR[]
    semantic_item_count: BIGINT
    rendered: BOOLEAN
    unrendered_meta_robots_index: BOOLEAN
    script_redirect: VARCHAR
    unrendered_title: VARCHAR
    unrendered_rel_canonical: VARCHAR
    unrendered_word_count: BIGINT
    outlinks_only_rendered: BIGINT
    num_resources_denied: BIGINT
    depth: BIGINT
    nb_inlinks: BIGINT
    follow_inlinks: BIGINT
    nofollow_inlinks: BIGINT
    cwv_bytes_saving: BIGINT
    cwv_fcp: BIGINT
    cwv_lcp: BIGINT
    cwv_si: BIGINT
    cwv_tbt: BIGINT
    cwv_tti: BIGINT
    cwv_time_saving: BIGINT
    cwv_cls: DOUBLE
    cwv_performance_score: DOUBLE
  ops.loads:
    dataset: VARCHAR
    source_id: VARCHAR
    loaded_at: TIMESTAMP WITH TIME ZONE
incremental:
  by: crawl_id
  partitions: SELECT source_id AS crawl_id, loaded_at FROM ops.loads WHERE dataset = 'crawl_pages'
*/
-- Names with a leading _ are crawlhouse's own, because the service may have a field of any other name. Without a
-- canonical, and for a canonical that is the URL itself, as most are, the parts of the URL are not needed and are NULL.
WITH
  named AS (
    SELECT
      *,
      CASE WHEN rel_canonical = url THEN split_part(url, '#', 1) END AS _own_url,
      CASE WHEN rel_canonical <> url THEN split_part(url, '#', 1) END AS _bare_url,
      CASE WHEN rel_canonical <> url THEN nullif(split_part(trim(rel_canonical), '#', 1), '') END AS _canonical,
      -- Only marks and the letters of Korean syllables can be composed. Composing all texts would be slow.
      CASE WHEN regexp_matches(title, '[\p{M}\x{1160}-\x{11ff}]') THEN nfc_normalize(title) ELSE title END AS _title,
      CASE WHEN regexp_matches(h1, '[\p{M}\x{1160}-\x{11ff}]') THEN nfc_normalize(h1) ELSE h1 END AS _h1,
      CASE WHEN regexp_matches(meta_description, '[\p{M}\x{1160}-\x{11ff}]') THEN nfc_normalize(meta_description) ELSE meta_description END
        AS _description
    FROM raw.crawl_pages
  ),

  parts AS (
    SELECT
      *,
      lower(split_part(_bare_url, '://', 1)) AS _scheme,
      split_part(split_part(split_part(_bare_url, '://', 2), '/', 1), '?', 1) AS _host
    FROM named
  ),

  placed AS (
    SELECT
      *,
      -- A path, a query or nothing follows the host. Without a path, the path is /.
      CASE WHEN starts_with(_rest, '/') THEN _rest ELSE '/' || _rest END AS _path
    FROM (SELECT *, substr(_bare_url, length(_scheme) + length(_host) + 4) AS _rest FROM parts) AS rest
  ),

  absolute AS (
    SELECT
      *,
      CASE
        WHEN starts_with(_canonical, '//') THEN _scheme || ':' || _canonical
        WHEN starts_with(_canonical, '/') THEN _scheme || '://' || _host || _canonical
        WHEN strpos(split_part(_canonical, '?', 1), '://') > 0 THEN _canonical
        WHEN starts_with(_canonical, '?') THEN _scheme || '://' || _host || split_part(_path, '?', 1) || _canonical
        ELSE _scheme || '://' || _host || regexp_replace(split_part(_path, '?', 1), '[^/]*$', '') || _canonical
      END AS _declared
    FROM placed
  ),

  split AS (
    SELECT
      *,
      lower(split_part(_declared, '://', 1)) AS _canonical_scheme,
      split_part(split_part(split_part(_declared, '://', 2), '/', 1), '?', 1) AS _canonical_host
    FROM absolute
  ),

  compared AS (
    SELECT
      *,
      CASE WHEN starts_with(_canonical_rest, '/') THEN _canonical_rest ELSE '/' || _canonical_rest END AS _canonical_path
    FROM (
      SELECT
        *,
        substr(_declared, length(_canonical_scheme) + length(_canonical_host) + 4) AS _canonical_rest,
        regexp_replace(_own_url, '^[^:]*://[^/?]*', '') AS _own_rest
      FROM split
    ) AS rest
  ),

  facts AS (
    SELECT
      *,
      CASE
        WHEN _declared IS NOT NULL THEN _canonical_scheme || '://' || lower(_canonical_host) || _canonical_path
        WHEN _own_url IS NOT NULL
          THEN lower(substr(_own_url, 1, length(_own_url) - length(_own_rest)))
            || CASE WHEN starts_with(_own_rest, '/') THEN '' ELSE '/' END
            || _own_rest
      END AS _canonical_url,
      CASE
        -- Without a robots.txt, nothing is known about the page.
        WHEN status_code IS NULL AND ',' || array_to_string(processing_warnings, ',') || ',' LIKE '%,robots_unavailable,%' THEN NULL
        WHEN robots_txt_denied OR fetch_status = 'unfetched_robots_denied' THEN true
        ELSE robots_txt_denied
      END AS _is_robots_denied,
      CASE
        WHEN status_code IN (401, 429) THEN true
        WHEN status_code = 503 AND ',' || array_to_string(processing_warnings, ',') || ',' LIKE '%,try_later,%' THEN true
        WHEN status_code IS NOT NULL THEN ',' || array_to_string(processing_warnings, ',') || ',' LIKE '%,challenge%'
        ELSE ',' || array_to_string(processing_warnings, ',') || ',' LIKE '%,robots_unavailable,%'
      END AS _is_unknown,
      CASE
        WHEN meta_robots_index IS NOT NULL THEN NOT meta_robots_index
        WHEN meta_robots IS NOT NULL
          THEN ',' || replace(lower(array_to_string(meta_robots, ',')), ' ', '') || ',' LIKE '%,noindex,%'
            OR ',' || replace(lower(array_to_string(meta_robots, ',')), ' ', '') || ',' LIKE '%,none,%'
      END AS _is_noindex,
      CASE
        WHEN canonical_evaluation = 'not_matching' THEN true
        WHEN canonical_evaluation IN ('matching', 'not_set') THEN false
        WHEN _own_url IS NOT NULL THEN false
        WHEN _declared IS NOT NULL
          THEN _canonical_scheme <> _scheme OR lower(_canonical_host) <> lower(_host) OR _canonical_path <> _path
        WHEN rel_canonical IS NOT NULL THEN false
      END AS _is_canonicalised,
      lower(CAST(indexable AS VARCHAR)) AS _indexable,
      coalesce(content_kind NOT IN ('html', 'pdf', 'text'), false) AS _is_file
    FROM compared
  ),

  judged AS (
    SELECT
      *,
      CASE
        WHEN _is_robots_denied THEN 'robots_denied'
        WHEN _is_unknown THEN NULL
        WHEN status_code IS NULL AND fetch_status = 'unfetched_exception' THEN 'no_answer'
        WHEN status_code IN (301, 302, 303, 307, 308) THEN 'redirect'
        WHEN status_code BETWEEN 400 AND 499 THEN 'client_error'
        WHEN status_code BETWEEN 500 AND 599 THEN 'server_error'
        WHEN status_code <> 200 THEN 'other_status'
        WHEN meta_refresh_delay = 0 AND meta_refresh_location IS NOT NULL THEN 'redirect'
        WHEN _is_noindex THEN 'noindex'
        WHEN _is_canonicalised THEN 'canonicalised'
        WHEN _indexable IN ('false', 'no', 'not_indexable', 'non_indexable', '0') THEN 'service'
      END AS _reason,
      CASE
        WHEN status_code IS NOT NULL AND ',' || array_to_string(processing_warnings, ',') || ',' LIKE '%,challenge%' THEN 'forbidden'
        WHEN status_code = 401 THEN 'unauthorized'
        WHEN status_code = 403 THEN 'forbidden'
        WHEN status_code = 404 THEN 'not_found'
        WHEN status_code = 410 THEN 'removed'
        WHEN status_code = 429 THEN 'too_many_requests'
        WHEN status_code = 503 THEN 'try_later'
        WHEN status_code BETWEEN 400 AND 499 THEN 'client_error'
        WHEN status_code BETWEEN 500 AND 599 THEN 'server_error'
        WHEN status_code NOT BETWEEN 200 AND 399 THEN 'other_status'
        WHEN status_code IS NULL AND ',' || array_to_string(processing_warnings, ',') || ',' LIKE '%,robots_unavailable,%'
          THEN 'robots_unavailable'
        WHEN status_code IS NULL AND _is_robots_denied THEN 'blocked_by_robots'
        WHEN status_code IS NULL AND fetch_status = 'unfetched_exception' THEN 'no_answer'
        WHEN status_code IS NULL AND NOT fetched THEN 'not_fetched'
        WHEN ',' || array_to_string(processing_warnings, ',') || ',' LIKE '%,unreadable_content,%' THEN 'broken_body'
        WHEN ',' || array_to_string(processing_warnings, ',') || ',' LIKE '%,not_parsed,%' THEN 'broken_body'
      END AS _observation_reason
    FROM facts
  )

SELECT
  _crawl_id AS crawl_id,
  _project_id AS project_id,

  url,
  _crawl_id || ' ' || url AS page_key,
  _project_id || ' ' || url AS url_key,
  url_host,
  urlpath,
  url_first_path,
  url_has_params,
  content_kind,
  _is_file OR content_kind IS NULL AND title IS NULL AND word_count IS NULL AND regexp_replace(lower(url), '^[^?#]*([.](css|js|mjs|map|json|webmanifest|xml|rss|atom|png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|woff2?|ttf|otf|eot)|/(feed|rss|atom))/?([?#].*)?$', '') = '' AS is_resource,

  fetched,
  fetch_status,
  fetch_date,
  processing_warnings,
  http_version,
  tls_version,
  offers_http2,
  status_code,
  coalesce(
    CAST(status_code_range AS VARCHAR),
    CASE
      WHEN status_code BETWEEN 200 AND 299 THEN 'ok'
      WHEN status_code BETWEEN 300 AND 399 THEN 'redirect'
      WHEN status_code BETWEEN 400 AND 499 THEN 'client_error'
      WHEN status_code BETWEEN 500 AND 599 THEN 'server_error'
    END
  ) AS status_code_range,
  depth,
  sources,
  sitemaps_file_origin,

  CASE
    WHEN _reason IS NOT NULL THEN false
    WHEN _is_unknown THEN NULL
    WHEN _is_file THEN NULL
    WHEN ',' || array_to_string(processing_warnings, ',') || ',' LIKE '%,unreadable_content,%' THEN NULL
    WHEN ',' || array_to_string(processing_warnings, ',') || ',' LIKE '%,not_parsed,%' THEN NULL
    WHEN status_code = 200 OR _indexable IN ('true', 'yes', 'indexable', '1') THEN true
  END AS is_indexable,
  _reason AS non_indexable_reason,
  CASE
    WHEN _observation_reason IN ('not_found', 'removed') THEN 'gone'
    WHEN _observation_reason IN ('unauthorized', 'forbidden', 'too_many_requests', 'try_later') THEN 'refused'
    WHEN _observation_reason IN ('blocked_by_robots', 'robots_unavailable', 'not_fetched') THEN 'not_requested'
    WHEN _observation_reason IS NOT NULL THEN 'unreadable'
    WHEN status_code IS NOT NULL OR fetched THEN 'read'
  END AS observation,
  _observation_reason AS observation_reason,
  _is_robots_denied AS is_robots_denied,
  _is_noindex AS is_noindex,
  _is_canonicalised AS is_canonicalised,
  _canonical_url AS canonical_url,
  CASE
    WHEN canonical_evaluation = 'matching' THEN 'self'
    WHEN canonical_evaluation = 'not_set' OR _declared IS NULL AND _own_url IS NULL AND rel_canonical IS NOT NULL THEN 'not_set'
    WHEN _declared IS NULL AND _own_url IS NULL THEN NULL
    WHEN NOT _is_canonicalised THEN 'self'
    WHEN lower(regexp_replace(_canonical_path, '/$', '')) <> lower(regexp_replace(_path, '/$', '')) THEN 'path'
    WHEN lower(_canonical_host) <> lower(_host) THEN 'host'
    WHEN regexp_replace(_canonical_path, '/$', '') <> regexp_replace(_path, '/$', '') THEN 'case'
    WHEN _canonical_scheme <> _scheme THEN 'scheme'
    ELSE 'slash'
  END AS canonical_kind,
  meta_robots,
  noindex_robots,
  denied_robots,
  meta_robots_index,
  meta_robots_follow,
  robots_txt_denied,
  rel_canonical,
  canonicals,
  canonical_outside_head,
  coalesce(declared_canonical, rel_canonical) AS declared_canonical,
  canonical_evaluation,
  rel_next,
  rel_prev,
  pagination_errors,
  amp_url,
  amp_status_code,

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
  internal_nofollow_outlinks,
  external_outlinks,
  nb_links_self_referencing,
  inrank,
  inrank_decimal,

  title,
  title_length,
  coalesce(
    length(_title) + length(regexp_replace(_title, '[^\x{1100}-\x{115f}\x{2329}\x{232a}\x{2e80}-\x{303e}\x{3041}-\x{a4cf}\x{a960}-\x{a97f}\x{ac00}-\x{d7a3}\x{f900}-\x{faff}\x{fe10}-\x{fe19}\x{fe30}-\x{fe6f}\x{ff01}-\x{ff60}\x{ffe0}-\x{ffe6}\x{16fe0}-\x{18aff}\x{1aff0}-\x{1b2ff}\x{1f200}-\x{1f2ff}\x{20000}-\x{3fffd}]+', '', 'g')),
    title_length
  ) AS title_width,
  num_titles,
  title_evaluation,
  duplicate_title_status,
  has_duplicate_title_issue,
  h1,
  length(_h1) + length(regexp_replace(_h1, '[^\x{1100}-\x{115f}\x{2329}\x{232a}\x{2e80}-\x{303e}\x{3041}-\x{a4cf}\x{a960}-\x{a97f}\x{ac00}-\x{d7a3}\x{f900}-\x{faff}\x{fe10}-\x{fe19}\x{fe30}-\x{fe6f}\x{ff01}-\x{ff60}\x{ffe0}-\x{ffe6}\x{16fe0}-\x{18aff}\x{1aff0}-\x{1b2ff}\x{1f200}-\x{1f2ff}\x{20000}-\x{3fffd}]+', '', 'g')) AS h1_width,
  num_h1,
  num_h2,
  h1_evaluation,
  duplicate_h1_status,
  has_duplicate_h1_issue,
  meta_description,
  description_length,
  coalesce(
    length(_description) + length(regexp_replace(_description, '[^\x{1100}-\x{115f}\x{2329}\x{232a}\x{2e80}-\x{303e}\x{3041}-\x{a4cf}\x{a960}-\x{a97f}\x{ac00}-\x{d7a3}\x{f900}-\x{faff}\x{fe10}-\x{fe19}\x{fe30}-\x{fe6f}\x{ff01}-\x{ff60}\x{ffe0}-\x{ffe6}\x{16fe0}-\x{18aff}\x{1aff0}-\x{1b2ff}\x{1f200}-\x{1f2ff}\x{20000}-\x{3fffd}]+', '', 'g')),
    description_length
  ) AS description_width,
  num_descriptions,
  description_evaluation,
  duplicate_description_status,
  has_duplicate_description_issue,
  clusters,
  nearduplicate_content,
  nearduplicate_content_similarity,
  nearduplicate_status,
  has_nearduplicate_issue,
  like_missing_page,
  is_app_shell,

  language,
  hreflang_cluster_id,
  hreflang_hrefs,
  hreflang_langs,
  hreflang_errors,
  word_count,
  text_to_code,
  load_time,
  weight,
  num_img,
  num_missing_alt,
  largest_img_weight,
  semantic_types,
  semantic_item_count,

  meta_refresh_location,
  header_canonical,
  compressed,
  missing_security_headers,
  num_mixed_content,
  num_insecure_forms,
  num_img_without_size,
  num_links_without_text,
  num_links_generic_text,

  rendered,
  script_redirect,
  unrendered_title,
  unrendered_rel_canonical,
  unrendered_meta_robots_index,
  unrendered_word_count,
  outlinks_only_rendered,
  num_resources_denied,

  cwv_bytes_saving,
  cwv_cls,
  cwv_fcp,
  cwv_lcp,
  cwv_performance_score,
  cwv_si,
  cwv_tbt,
  cwv_tti,
  cwv_time_saving,

  _run_id || ' ' || _unit AS _load_id,
  _loaded_at,

  "custom_*"
FROM judged
