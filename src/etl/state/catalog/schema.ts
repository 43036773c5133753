import { STORAGE_OPTION } from '../../../core/duckdb/duckdb.ts';

/** The catalog name under which a process attaches its warehouse. */
export const CATALOG = 'warehouse';
/** The catalog name under which it attaches the published warehouse. */
export const FORMER = 'former_publication';

/**
 * Options of every ATTACH that writes. With DuckDB's defaults, writing a 750-column table needs more than 1 GB. If a
 * file is attached without its row group size, the next checkpoint rewrites it in larger groups
 * (docs/decisions/warehouse.md).
 */
export const FILE_OPTIONS = `BLOCK_SIZE 32768, ROW_GROUP_SIZE 16384, ${STORAGE_OPTION}`;

/** Columns that every raw table has in addition to the service's own (interface.md, "The warehouse"). */
export const RAW_META_COLUMNS = {
  _unit: 'VARCHAR',
  _source_id: 'VARCHAR',
  _crawl_id: 'VARCHAR',
  _project_id: 'VARCHAR',
  _window: 'VARCHAR',
  _seen_from: 'TIMESTAMP WITH TIME ZONE',
  _seen_to: 'TIMESTAMP WITH TIME ZONE',
  _run_id: 'VARCHAR',
  _loaded_at: 'TIMESTAMP WITH TIME ZONE',
} as const;
export type RawMetaColumn = keyof typeof RAW_META_COLUMNS;

/**
 * The tables as of version 1. Later changes are in the migrations, so that old and new files end up with the same
 * tables.
 */
export const VERSION_1 = [
  'CREATE SCHEMA IF NOT EXISTS raw',
  'CREATE SCHEMA IF NOT EXISTS mart',
  'CREATE SCHEMA IF NOT EXISTS ops',
  `CREATE TABLE IF NOT EXISTS ops.publication (
     id VARCHAR, base_id VARCHAR, published_at TIMESTAMPTZ, dirty BOOLEAN, version INTEGER)`,
  `CREATE TABLE IF NOT EXISTS ops.runs (
     run_id VARCHAR, command VARCHAR, status VARCHAR, started_at TIMESTAMPTZ, ended_at TIMESTAMPTZ)`,
  `CREATE TABLE IF NOT EXISTS ops.units (
     unit VARCHAR, dataset VARCHAR, source_kind VARCHAR, source_id VARCHAR, project_id VARCHAR,
     window_from VARCHAR, window_to VARCHAR, status VARCHAR, attempts BIGINT,
     error_code VARCHAR, error_message VARCHAR, error_hint VARCHAR, updated_at TIMESTAMPTZ)`,
  `CREATE TABLE IF NOT EXISTS ops.loads (
     unit VARCHAR, dataset VARCHAR, source_kind VARCHAR, source_id VARCHAR, project_id VARCHAR,
     window_from VARCHAR, window_to VARCHAR,
     reported BIGINT, received BIGINT, staged BIGINT, rejected BIGINT, loaded BIGINT, queryable BIGINT,
     route VARCHAR, format VARCHAR, bytes BIGINT, seconds DOUBLE, attempts BIGINT, content_sha256 VARCHAR,
     filter VARCHAR, run_id VARCHAR, loaded_at TIMESTAMPTZ)`,
  `CREATE TABLE IF NOT EXISTS ops.unit_fields (
     unit VARCHAR, dataset VARCHAR, field VARCHAR, type VARCHAR, arity VARCHAR, column_name VARCHAR)`,
  `CREATE TABLE IF NOT EXISTS ops.rejects (
     unit VARCHAR, dataset VARCHAR, file VARCHAR, line BIGINT, field VARCHAR, value VARCHAR, reason VARCHAR,
     run_id VARCHAR, rejected_at TIMESTAMPTZ)`,
  `CREATE TABLE IF NOT EXISTS ops.schema_changes (
     dataset VARCHAR, unit VARCHAR, field VARCHAR, change VARCHAR, before VARCHAR, after VARCHAR,
     run_id VARCHAR, changed_at TIMESTAMPTZ)`,
  `CREATE TABLE IF NOT EXISTS ops.test_results (
     run_id VARCHAR, model VARCHAR, name VARCHAR, severity VARCHAR, status VARCHAR, failures BIGINT, sql VARCHAR,
     tested_at TIMESTAMPTZ)`,
];

/** Each entry migrates a warehouse from the previous version to its own. The first entry makes version 2. */
export const MIGRATIONS: readonly (readonly string[])[] = [
  ['ALTER TABLE ops.loads ADD COLUMN IF NOT EXISTS reason VARCHAR'],
  [
    'ALTER TABLE ops.units ADD COLUMN IF NOT EXISTS failures BIGINT DEFAULT 0',
    'ALTER TABLE ops.units ADD COLUMN IF NOT EXISTS next_try_at TIMESTAMPTZ',
  ],
  [
    'ALTER TABLE ops.loads ADD COLUMN IF NOT EXISTS usual BIGINT',
    'ALTER TABLE ops.loads ADD COLUMN IF NOT EXISTS flag VARCHAR',
  ],
  [
    `CREATE TABLE IF NOT EXISTS ops.lists (
       list VARCHAR, workspace_id VARCHAR, total BIGINT, swept_at TIMESTAMPTZ)`,
    `CREATE TABLE IF NOT EXISTS ops.listed (
       list VARCHAR, workspace_id VARCHAR, id VARCHAR, project_id VARCHAR, status VARCHAR, end_reason VARCHAR,
       link_status VARCHAR, created_at TIMESTAMPTZ, ended_at TIMESTAMPTZ, content VARCHAR, pending BOOLEAN,
       gone BOOLEAN)`,
    'ALTER TABLE ops.loads ADD COLUMN IF NOT EXISTS source_ended_at TIMESTAMPTZ',
  ],
  ['ALTER TABLE ops.loads ADD COLUMN IF NOT EXISTS kept BOOLEAN'],
  ['ALTER TABLE ops.loads ADD COLUMN IF NOT EXISTS fingerprint VARCHAR'],
  [
    `CREATE TABLE IF NOT EXISTS ops.holds (
       unit VARCHAR, model VARCHAR, test VARCHAR, code VARCHAR, message VARCHAR, hint VARCHAR,
       content_sha256 VARCHAR, models VARCHAR, run_id VARCHAR, held_at TIMESTAMPTZ)`,
  ],
  // Earlier versions made these two on their first build of a model, with the columns that they knew.
  [
    `CREATE TABLE IF NOT EXISTS ops.models (
       name VARCHAR, kind VARCHAR, fingerprint VARCHAR, sources VARCHAR, rows BIGINT, built_at TIMESTAMPTZ,
       run_id VARCHAR, tested_at TIMESTAMPTZ)`,
    'ALTER TABLE ops.models ADD COLUMN IF NOT EXISTS definition VARCHAR',
    'ALTER TABLE ops.models ADD COLUMN IF NOT EXISTS looked_at VARCHAR',
    'CREATE TABLE IF NOT EXISTS ops.model_pieces (model VARCHAR, piece VARCHAR, stamp VARCHAR, tested BOOLEAN)',
  ],
  [
    'ALTER TABLE ops.model_pieces RENAME COLUMN piece TO partition_key',
    'ALTER TABLE ops.model_pieces RENAME TO model_partitions',
    'ALTER TABLE ops.loads RENAME COLUMN kept TO pinned',
  ],
  [`UPDATE ops.runs SET status = 'yielded' WHERE status = 'made room'`],
  // Comments on every column.
  [],
  ['ALTER TABLE ops.loads ADD COLUMN IF NOT EXISTS definition VARCHAR'],
  [
    'CREATE TABLE IF NOT EXISTS ops.pointers (relation VARCHAR, unit VARCHAR, load_id VARCHAR, made_from VARCHAR)',
  ],
  ['ALTER TABLE ops.loads ADD COLUMN IF NOT EXISTS waited DOUBLE'],
  ['ALTER TABLE ops.publication ADD COLUMN IF NOT EXISTS contract VARCHAR'],
  ['ALTER TABLE ops.listed ADD COLUMN IF NOT EXISTS has_requests BOOLEAN'],
  ['ALTER TABLE ops.schema_changes ADD COLUMN IF NOT EXISTS value_count BIGINT'],
  [
    `CREATE TABLE IF NOT EXISTS ops.tombstones (
       load_id VARCHAR, relation VARCHAR, unit VARCHAR, dataset VARCHAR, source_kind VARCHAR, source_id VARCHAR,
       project_id VARCHAR, window_from VARCHAR, window_to VARCHAR, partition_key VARCHAR, reason VARCHAR,
       removed_at TIMESTAMPTZ)`,
    'ALTER TABLE ops.model_partitions ADD COLUMN IF NOT EXISTS load_id VARCHAR',
  ],
];

/** Version of the tables in `ops`, stored in `ops.publication`. */
export const WAREHOUSE_VERSION = MIGRATIONS.length + 1;

/**
 * Returns the select list for a table of `ops` in a published file of some version, with the current names of its
 * columns. Published files are never migrated.
 */
export function columnsOfVersion(name: string, version: number): string {
  return name === 'loads' && version >= 6 && version < 10 ? '* RENAME (kept AS pinned)' : '*';
}
