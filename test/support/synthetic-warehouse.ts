import type { Connection } from '../../src/core/duckdb/duckdb.ts';

/** How much there is of each; all projects together. */
export interface SyntheticSize {
  readonly projects: number;
  readonly crawls: number;
  readonly pages: number;
  readonly links: number;
  /** Rows of the log files by day, and of search results. */
  readonly days: number;
  readonly hits: number;
  readonly rankings: number;
}

/**
 * Fills `raw` and `ops` of an empty warehouse by SQL alone: projects with crawls a week apart, their pages, links,
 * segments, structured data, log files by day and search results. Statuses, directives, canonicals, redirects, titles
 * and depths follow the number of a page, so that each question has rows.
 */
export async function fillWarehouse(connection: Connection, size: SyntheticSize): Promise<void> {
  await connection.run(`CREATE TABLE raw.projects AS
    SELECT 'p' || p AS id, 'Project ' || p AS name, 'https://www.site' || p || '.example/' AS start_url,
      CAST(NULL AS TIMESTAMPTZ) AS _seen_to, now() AS _loaded_at
    FROM range(${size.projects}) AS t(p)`);
  await connection.run(`CREATE TABLE raw.crawls AS
    SELECT 'p' || p || 'c' || c AS id, 'p' || p AS project_id, 'done' AS status, 'ok' AS end_reason,
      epoch_ms(TIMESTAMP '2026-01-01' + to_days(CAST(7 * c AS INTEGER))) AS created_at,
      epoch_ms(TIMESTAMP '2026-01-01' + to_days(CAST(7 * c AS INTEGER)) + INTERVAL 3 HOUR) AS ended_at,
      CAST('{"id": "config", "name": "main", "agent_kind": "web"}' AS JSON) AS crawl_config,
      CAST(NULL AS TIMESTAMPTZ) AS _seen_to, now() AS _loaded_at
    FROM range(${size.projects}) AS t(p), range(${size.crawls}) AS u(c)`);
  const of = size.projects * size.crawls;
  const crawls = await connection.rows<{ id: string }>('SELECT id FROM raw.crawls ORDER BY ended_at, id');
  const crawlUnits = crawls.map(({ id }) => `crawls.id = '${id}'`);
  const dayUnits = Array.from({ length: size.days }, (_, day) => `d = ${day}`);
  const [pageCount, linkCount] = [Math.floor(size.pages / of), Math.floor(size.links / of)];
  await loadUnits(connection, 'crawl_pages', crawlUnits, (unit) => pages(pageCount, unit));
  await loadUnits(connection, 'crawl_links', crawlUnits, (unit) => links(linkCount, pageCount, unit));
  await connection.run(`CREATE TABLE raw.crawl_structured_data AS
    SELECT 'crawl_structured_data/' || _crawl_id AS _unit, _crawl_id, _project_id, url, 'json-ld' AS format, 'Product' AS type, 1 AS position, i % 4 > 0 AS valid
    FROM raw.crawl_pages WHERE i % 5 = 0`);
  await loadUnits(connection, 'log_pages_days', dayUnits, (unit) => logs(size, unit));
  await loadUnits(connection, 'ranking_performance', dayUnits, (unit) => rankings(size, unit));
  await connection.run('ALTER TABLE raw.crawl_pages DROP COLUMN i');
  await recordLoads(connection);
}

/** Unit after unit, as a run loads them: the rows of a unit lie together, so that a scan of one skips the others. */
async function loadUnits(
  connection: Connection,
  dataset: string,
  units: readonly string[],
  rowsOf: (unit: string) => string,
): Promise<void> {
  for (const [place, unit] of units.entries())
    await connection.run(
      `${place === 0 ? `CREATE TABLE raw.${dataset} AS` : `INSERT INTO raw.${dataset}`} ${rowsOf(unit)}`,
    );
}

const CRAWL = `crawls.id AS _crawl_id, crawls.project_id AS _project_id,`;
const site = (project: string): string => `'https://www.site' || substr(${project}, 2) || '.example'`;
/** The URL of a page by its number. Every 50th comes and goes with the crawls. */
const url = (project: string, i: string): string =>
  `${site(project)} || '/section-' || ((${i}) % 97) || '/page-' || (${i})`;
const UNFETCHED = 'i % 41 = 3';
const STATUS =
  'CASE WHEN i % 20 = 7 THEN 404 WHEN i % 25 = 9 THEN 301 WHEN i % 199 = 5 THEN 503 ELSE 200 END';

function pages(count: number, unit: string): string {
  const random = (seed: number): string => `hash(i, crawls.id, ${seed})`;
  return `SELECT 'crawl_pages/' || crawls.id AS _unit, ${CRAWL} i, ${url('crawls.project_id', 'i')} AS url,
      'www.site' || substr(crawls.project_id, 2) || '.example' AS url_host,
      'section-' || (i % 97) AS page_group_template, CASE WHEN i % 3 > 0 THEN 'group ' || (i % 7) END AS page_group_kind,
      '/section-' || (i % 97) || '/page-' || i AS urlpath, '/section-' || (i % 97) AS url_first_path,
      false AS url_has_params, NOT ${UNFETCHED} AS fetched,
      CASE WHEN ${UNFETCHED} THEN 'unfetched_robots_denied' ELSE 'fetched_' || (${STATUS} // 100) || 'xx' END AS fetch_status,
      CASE WHEN NOT ${UNFETCHED} THEN CAST(${STATUS} AS BIGINT) END AS status_code,
      CASE WHEN i % 100 <> 11 THEN CAST(i % 9 + (${random(1)} % 30 = 0)::INT AS BIGINT) END AS depth,
      CASE WHEN i % 3 = 0 THEN ['crawler', 'sitemaps'] ELSE ['crawler'] END AS sources,
      CASE WHEN i % 3 = 0 THEN ['https://sitemap.example/1.xml'] END AS sitemaps_file_origin,
      i % 17 <> 2 AS meta_robots_index, ${UNFETCHED} AS robots_txt_denied,
      CASE WHEN i % 13 = 4 THEN ${url('crawls.project_id', 'i - i % 26')}
        WHEN i % 2 = 0 THEN ${url('crawls.project_id', 'i')} END AS rel_canonical,
      CASE WHEN i % 25 = 9 THEN ${url('crawls.project_id', 'i + (i // 25) % 3')} END AS redirect_location,
      CASE WHEN i % 25 = 9 THEN ${url('crawls.project_id', 'i + (i // 25) % 3')} END AS final_redirect_location,
      CASE WHEN i % 25 = 9 THEN CAST(CASE WHEN i % 2 = 0 THEN 404 ELSE 200 END AS BIGINT) END AS final_redirect_status,
      CAST(${random(2)} % 100 AS BIGINT) AS nb_inlinks, CAST(${random(2)} % 90 AS BIGINT) AS follow_inlinks,
      CAST(${random(3)} % 11 AS BIGINT) AS inrank, ${random(3)} % 1100 / 100.0 AS inrank_decimal,
      'Title ' || (i // 2) || CASE WHEN ${random(4)} % 10 = 0 THEN ' new' ELSE '' END AS title,
      CASE WHEN i % 4 = 1 THEN 'duplicated' ELSE 'unique' END AS title_evaluation, i % 4 = 1 AS has_duplicate_title_issue,
      'Heading ' || (i // 3) AS h1, CAST(1 AS BIGINT) AS num_h1, 'What page ' || i || ' says.' AS meta_description,
      CASE WHEN i % 11 = 0 THEN 'en' ELSE 'fr' END AS language,
      CASE WHEN i % 11 < 2 THEN 'cluster ' || (i // 11) END AS hreflang_cluster_id,
      CASE WHEN i % 11 < 2 THEN [${url('crawls.project_id', 'i - i % 11')}, ${url('crawls.project_id', 'i - i % 11 + 1')}] END
        AS hreflang_hrefs,
      CASE WHEN i % 11 < 2 THEN ['en', 'fr'] END AS hreflang_langs,
      CAST(${random(5)} % 900 AS BIGINT) AS word_count, CAST(${random(6)} % 5000 AS BIGINT) AS load_time,
      CAST(${random(7)} % 4000 AS BIGINT) AS cwv_lcp, ${random(8)} % 30 / 100.0 AS cwv_cls,
      CAST(${random(9)} % 400 AS BIGINT) AS cwv_tbt
    FROM raw.crawls AS crawls, range(${count}) AS t(i)
    WHERE i % 50 <> hash(crawls.id) % 50 AND ${unit}`;
}

function links(count: number, pageCount: number, unit: string): string {
  const target = `CAST(hash(i, 1) % ${pageCount} AS BIGINT)`;
  const status = STATUS.replaceAll('i %', `${target} %`);
  return `SELECT 'crawl_links/' || crawls.id AS _unit, ${CRAWL}
      ${url('crawls.project_id', `CAST(hash(i) % ${pageCount} AS BIGINT)`)} AS origin,
      CASE WHEN i % 20 = 0 THEN 'https://other' || i % 50 || '.example/' ELSE ${url('crawls.project_id', target)} END AS target,
      'anchor ' || hash(i) % 500 AS anchor, hash(i) % 9 > 0 AS follow, i % 20 > 0 AS intern,
      CAST(CASE WHEN i % 20 > 0 THEN ${status} END AS BIGINT) AS target_status, i % 20 > 0 AS target_fetched
    FROM raw.crawls AS crawls, range(${count}) AS t(i)
    WHERE ${unit}`;
}

/** Of day `d` of project `p`. */
function windowed(dataset: string): string {
  const day = "CAST(DATE '2026-01-01' + CAST(d AS INTEGER) AS VARCHAR)";
  return `'${dataset}/p' || p || '/' || ${day} AS _unit, 'p' || p AS _project_id, ${day} AS _window`;
}

function logs({ projects, crawls, days, hits, pages: all }: SyntheticSize, unit: string): string {
  const perDay = Math.floor(hits / projects / days);
  const known = Math.ceil((all / projects / crawls) * 1.1);
  return `SELECT ${windowed('log_pages_days')},
      DATE '2026-01-01' + CAST(d AS INTEGER) AS day, ${url("'p' || p", `CAST(hash(i, d) % ${known} AS BIGINT)`)} AS url,
      CAST(1 + i % 5 AS BIGINT) AS hits, CAST(i % 5 AS BIGINT) AS bot_hits, CAST(i % 4 AS BIGINT) AS seo_bot_hits,
      CAST(0 AS BIGINT) AS sea_bot_hits, CAST(0 AS BIGINT) AS vertical_bot_hits, CAST(i % 2 AS BIGINT) AS visits,
      CAST(i % 2 AS BIGINT) AS seo_visits, CAST(1 + i % 5 AS BIGINT) AS hits_2xx, CAST(0 AS BIGINT) AS hits_3xx,
      CAST(0 AS BIGINT) AS hits_4xx, CAST(0 AS BIGINT) AS hits_5xx, CAST(200 AS BIGINT) AS last_status_code
    FROM range(${projects}) AS t(p), range(${days}) AS u(d), range(${perDay}) AS v(i)
    WHERE ${unit}
    QUALIFY row_number() OVER (PARTITION BY p, d, url) = 1`;
}

function rankings(
  { projects, crawls, days, rankings: all, pages: allPages }: SyntheticSize,
  unit: string,
): string {
  const perDay = Math.floor(all / projects / days);
  const known = Math.ceil((allPages / projects / crawls) * 1.1);
  return `SELECT ${windowed('ranking_performance')},
      DATE '2026-01-01' + CAST(d AS INTEGER) AS date, ${url("'p' || p", `CAST(hash(i % ${perDay}) % ${known} AS BIGINT)`)} AS url,
      'query ' || i // 3 AS query, 'desktop' AS device, CAST(hash(i, d) % 20 AS BIGINT) AS clicks,
      CAST(20 + hash(i, d, 1) % 300 AS BIGINT) AS impressions, 1 + hash(i, d, 2) % 400 / 10.0 AS position
    FROM range(${projects}) AS t(p), range(${days}) AS u(d), range(${perDay}) AS v(i)
    WHERE ${unit}`;
}

/** The units that these rows are of, and the fields of the pages. */
async function recordLoads(connection: Connection): Promise<void> {
  for (const dataset of ['crawl_pages', 'crawl_links', 'crawl_structured_data'])
    await connection.run(`INSERT INTO ops.loads BY NAME
      SELECT '${dataset}/' || _crawl_id AS unit, '${dataset}' AS dataset, 'crawl' AS source_kind,
        _crawl_id AS source_id, _project_id AS project_id, 'r' AS run_id, now() AS loaded_at, count(*) AS loaded
      FROM raw.${dataset} GROUP BY _crawl_id, _project_id`);
  for (const [dataset, kind] of [
    ['log_pages_days', 'log_monitoring'],
    ['ranking_performance', 'ranking_performance'],
  ])
    await connection.run(`INSERT INTO ops.loads BY NAME
      SELECT '${dataset}/' || _project_id || '/' || _window AS unit, '${dataset}' AS dataset, '${kind}' AS source_kind,
        _project_id AS source_id, _project_id AS project_id, _window AS window_from, 'r' AS run_id, now() AS loaded_at,
        count(*) AS loaded
      FROM raw.${dataset} GROUP BY _project_id, _window`);
  await connection.run(`INSERT INTO ops.unit_fields BY NAME
    SELECT loads.unit, loads.dataset, columns.column_name AS field, columns.column_name
    FROM ops.loads AS loads, duckdb_columns() AS columns
    WHERE columns.database_name = current_database() AND columns.schema_name = 'raw'
      AND columns.table_name = loads.dataset AND NOT starts_with(columns.column_name, '_')`);
}
