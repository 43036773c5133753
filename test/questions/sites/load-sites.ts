import { join } from 'node:path';
import { type Connection, ident, table } from '../../../src/core/duckdb/duckdb.ts';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import { rowsSql } from '../../../src/etl/pipeline/transform/tests/model-cases.ts';
import { loadModels } from '../../../src/etl/project/sql/models/load-models.ts';
import { sqlFolder } from '../../../src/etl/project/sql/models/sql-folders.ts';
import { createSchema } from '../../../src/etl/state/catalog/create-schema.ts';
import { runModels } from '../../support/run-models.ts';
import type { Crawl, Dataset, Project, Row, Sites } from './sites.ts';

/** Fields by type; every other one is a text, or a list where a value is one. */
const TYPES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    BIGINT:
      'status_code depth nb_inlinks inrank redirect_count final_redirect_status word_count load_time target_status ' +
      'meta_refresh_delay size position clicks impressions bytes_sent hits seo_bot_hits vertical_bot_hits sea_bot_hits bot_hits visits ' +
      'seo_visits hits_2xx hits_3xx hits_4xx hits_5xx last_status_code num_h1 title_length ended_at unrendered_word_count ' +
      'outlinks_only_rendered num_resources_denied num_mixed_content num_insecure_forms ' +
      'num_img_without_size num_links_without_text num_links_generic_text largest_img_weight amp_status_code',
    DOUBLE: 'inrank_decimal average_similarity cwv_lcp cwv_cls cwv_tbt rank',
    BOOLEAN:
      'is_indexable like_missing_page is_app_shell offers_http2 compressed rendered unrendered_meta_robots_index fetched robots_txt_denied meta_robots_index url_has_params is_redirect_loop is_too_many_redirects follow ' +
      'intern valid is_bot is_seo_visit has_duplicate_title_issue has_duplicate_h1_issue ' +
      'has_duplicate_description_issue has_nearduplicate_issue',
    DATE: 'day date',
    'TIMESTAMP WITH TIME ZONE': 'event_date',
    'VARCHAR[]':
      'processing_warnings sources sitemaps_file_origin meta_robots clusters semantic_types missing_security_headers pagination_errors hreflang_hrefs hreflang_errors',
  }).flatMap(([type, names]) => names.split(' ').map((name) => [name, type])),
);
const OF_SEARCHES: Readonly<Record<string, string>> = { position: 'DOUBLE' };
const META = { _unit: 'VARCHAR', _source_id: 'VARCHAR', _crawl_id: 'VARCHAR', _project_id: 'VARCHAR' };
const LOAD = {
  unit: 'VARCHAR',
  dataset: 'VARCHAR',
  source_kind: 'VARCHAR',
  source_id: 'VARCHAR',
  project_id: 'VARCHAR',
  window_from: 'VARCHAR',
  window_to: 'VARCHAR',
  loaded: 'BIGINT',
  run_id: 'VARCHAR',
  loaded_at: 'TIMESTAMP WITH TIME ZONE',
};
const FIELD = {
  unit: 'VARCHAR',
  dataset: 'VARCHAR',
  field: 'VARCHAR',
  type: 'VARCHAR',
  arity: 'VARCHAR',
  column_name: 'VARCHAR',
};

interface Unit extends Dataset {
  readonly name: string;
  readonly dataset: string;
  readonly crawlId: string | null;
  readonly projectId: string;
  /** Day of dated data. */
  readonly window: string | null;
}

/**
 * Writes sites into the raw tables of a warehouse that the connection uses, as loads would.
 *
 * @param loadedAt when the data of a crawl or a project, by identifier, came
 */
export async function loadSites(
  connection: Connection,
  { projects, crawls }: Sites,
  loadedAt: (source: string) => string = () => '2026-06-01T00:00:00Z',
): Promise<void> {
  await createSchema(connection);
  const units = [...crawls.flatMap(unitsOfCrawl), ...projects.flatMap(unitsOfProject)];
  await write(
    connection,
    'raw.projects',
    { id: 'VARCHAR', name: 'VARCHAR', start_url: 'VARCHAR' },
    projects
      .filter(({ name }) => name !== null)
      .map(({ id, name, startUrl }) => ({ id, name, start_url: startUrl })),
  );
  await write(
    connection,
    'raw.crawls',
    {
      id: 'VARCHAR',
      project_id: 'VARCHAR',
      status: 'VARCHAR',
      end_reason: 'VARCHAR',
      created_at: 'BIGINT',
      ended_at: 'BIGINT',
      crawl_config: 'JSON',
    },
    crawls.map(({ id, projectId, status, endReason, createdAt = null, endedAt, config }) => ({
      id,
      project_id: projectId,
      status,
      end_reason: endReason,
      created_at: createdAt,
      ended_at: endedAt,
      crawl_config: config,
    })),
  );
  for (const [dataset, ofDataset] of Map.groupBy(units, (unit) => unit.dataset)) {
    await writeDataset(connection, dataset, ofDataset);
  }
  await write(
    connection,
    'ops.loads',
    LOAD,
    units.map((unit) => ({
      unit: unit.name,
      dataset: unit.dataset,
      source_id: unit.crawlId ?? unit.projectId,
      source_kind: unit.crawlId === null ? 'project' : 'crawl',
      project_id: unit.projectId,
      window_from: unit.window,
      window_to: unit.window && dayAfter(unit.window),
      loaded: unit.rows.length,
      run_id: 'run',
      loaded_at: loadedAt(unit.crawlId ?? unit.projectId),
    })),
  );
  await write(
    connection,
    'ops.unit_fields',
    FIELD,
    units.flatMap(({ name, dataset, fields, rows }) =>
      fields.map((field) => ({
        unit: name,
        dataset,
        field,
        type: typeOf(dataset, field, rows),
        arity: 'one',
        column_name: field,
      })),
    ),
  );
}

/** The folder of SQL that ships. */
export const SQL = join(import.meta.dirname, '../../../sql');

/**
 * Makes the models of a folder of SQL.
 *
 * @param projectDir of a project with a segments.yaml
 */
export async function buildModels(
  connection: Connection,
  folder: string,
  projectDir?: string,
): Promise<void> {
  const project = projectDir === undefined ? {} : { project: { dir: projectDir, issues: {} } };
  const models = await loadModels([{ ...sqlFolder(folder), ...project }]);
  await runModels({ connection, models, changed: 'all', runId: 'run', logger: silentLogger });
  // A question is asked many times: each view is computed once.
  const kept = models.filter(({ kind }) => kind === 'view').map(({ name }) => name.replace('mart.', ''));
  for (const name of kept) {
    await connection.run(`CREATE TABLE raw.${ident(`view ${name}`)} AS FROM mart.${ident(name)}`);
  }
  for (const name of kept) {
    await connection.run(`DROP VIEW mart.${ident(name)}`);
    await connection.run(`CREATE VIEW mart.${ident(name)} AS FROM raw.${ident(`view ${name}`)}`);
  }
}

function unitsOfCrawl({ id, projectId, pages, links, clusters, structuredData, requests }: Crawl): Unit[] {
  const parts = {
    crawl_pages: pages,
    crawl_links: links,
    crawl_clusters: clusters,
    crawl_requests: requests,
  };
  return Object.entries({ ...parts, crawl_structured_data: structuredData }).flatMap(([dataset, part]) =>
    part ? [{ ...part, name: `${dataset}/${id}`, dataset, crawlId: id, projectId, window: null }] : [],
  );
}

/** Dated data come in units of a day. */
function unitsOfProject({ id, logEvents, logPagesDays, ranking }: Project): Unit[] {
  const parts = { log_events: logEvents, log_pages_days: logPagesDays, ranking_performance: ranking };
  return Object.entries(parts).flatMap(([dataset, part]) =>
    [...byWindow(dataset, part?.rows ?? [])].map(([window, rows]) => ({
      name: `${dataset}/${id}/${window}`,
      dataset,
      crawlId: null,
      projectId: id,
      window,
      rows,
      // A day whose lines have a field on none of them came without it.
      fields: (part?.fields ?? []).filter((name) => rows.some((row) => name in row)),
    })),
  );
}

/** Rows by their day. Search results of a day without rows between others are loaded too. */
function byWindow(dataset: string, rows: readonly Row[]): Map<string, readonly Row[]> {
  const byDay = new Map<string, readonly Row[]>(Map.groupBy(rows, (row) => String(row.day ?? row.date)));
  const days = [...byDay.keys()].toSorted();
  const [first, last] = [days[0], days.at(-1)];
  if (dataset === 'ranking_performance' && first !== undefined && last !== undefined)
    for (let day = first; day < last; day = dayAfter(day)) byDay.set(day, byDay.get(day) ?? []);
  return byDay;
}

async function writeDataset(connection: Connection, dataset: string, units: readonly Unit[]): Promise<void> {
  const fields = [...new Set(units.flatMap((unit) => unit.fields))];
  const rows = units.flatMap((unit) => unit.rows);
  const columns = Object.fromEntries(fields.map((name) => [name, typeOf(dataset, name, rows)]));
  await write(
    connection,
    `raw.${dataset}`,
    { ...columns, ...META, _window: 'VARCHAR' },
    units.flatMap((unit) =>
      unit.rows.map((row) => ({
        ...row,
        _unit: unit.name,
        _source_id: unit.crawlId ?? unit.projectId,
        _crawl_id: unit.crawlId,
        _project_id: unit.projectId,
        _window: unit.window,
      })),
    ),
  );
}

function typeOf(dataset: string, name: string, rows: readonly Row[]): string {
  if (dataset === 'ranking_performance' && name in OF_SEARCHES) return OF_SEARCHES[name] ?? 'VARCHAR';
  const known = TYPES[name];
  if (known === 'BIGINT' && rows.some((row) => Number(row[name]) > 2 ** 63)) return 'DECIMAL(38,0)';
  return known ?? (rows.some((row) => Array.isArray(row[name])) ? 'VARCHAR[]' : 'VARCHAR');
}

async function write(
  connection: Connection,
  name: string,
  columns: Readonly<Record<string, string>>,
  rows: readonly object[],
): Promise<void> {
  const listed = rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([field, value]) => [
        field,
        columns[field]?.endsWith('[]') && value !== null && !Array.isArray(value) ? [value] : value,
      ]),
    ),
  );
  await connection.run(`CREATE OR REPLACE TABLE ${table(...name.split('.'))} AS ${rowsSql(columns, listed)}`);
}

const dayAfter = (day: string): string => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
