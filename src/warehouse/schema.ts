import type { Connection } from '../core/duckdb.ts';

/** Name under which a process attaches the warehouse it works on. */
export const CATALOG = 'warehouse';

/** Version of the tables below, held in `ops.publication`. 2: `ops.loads.reason`. */
export const WAREHOUSE_VERSION = 2;

/**
 * Options of every ATTACH that writes. With DuckDB's defaults a 750-column table needs more than 1 GB to be written;
 * and a file that is attached without its row group size is written anew, in larger groups, by its next checkpoint
 * (docs/decisions/warehouse-file.md).
 */
export const FILE_OPTIONS = 'BLOCK_SIZE 32768, ROW_GROUP_SIZE 8192';

/** Columns that every raw table has besides the service's own (interface.md, "The warehouse"). */
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

const STATEMENTS = [
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
     filter VARCHAR, run_id VARCHAR, loaded_at TIMESTAMPTZ, reason VARCHAR)`,
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
  `INSERT INTO ops.publication
     SELECT NULL, NULL, NULL, false, ${WAREHOUSE_VERSION} WHERE NOT EXISTS (FROM ops.publication)`,
  // A warehouse of an earlier version gets what it lacks.
  'ALTER TABLE ops.loads ADD COLUMN IF NOT EXISTS reason VARCHAR',
  `UPDATE ops.publication SET version = ${WAREHOUSE_VERSION} WHERE version < ${WAREHOUSE_VERSION}`,
];

/** Makes the schemas and the `ops` tables where they are missing. The connection's default is the warehouse. */
export async function createSchema(connection: Connection): Promise<void> {
  for (const statement of STATEMENTS) await connection.run(statement);
}
