import { z } from 'zod';
import { ident } from '../../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { newerVersion } from '../../../../core/errors/newer-version.ts';
import type { PostgresAddress } from '../../../../core/net/postgres-address.ts';
import { typedRows } from '../../../../core/text/typed-rows.ts';
import type { LedgerStatements } from '../sql-database.ts';
import { type Patience, PostgresPool } from './postgres-pool.ts';

const ServerVersion = z.strictObject({ number: z.number() });

const SchemaVersion = z.strictObject({ version: z.number() });

/** The first version with `gen_random_uuid`. */
const OLDEST_SERVER = 130_000;

/** Each entry migrates a ledger from the previous version to its own. The first one creates an empty ledger. */
const MIGRATIONS: readonly ((schema: string) => string)[] = [
  (schema) => `
    CREATE TABLE ${schema}.units (
      project text NOT NULL, unit text COLLATE "C" NOT NULL, dataset text NOT NULL, spec json NOT NULL,
      status text NOT NULL, attempts integer NOT NULL, error json, failures integer NOT NULL DEFAULT 0,
      failing_since timestamptz, next_try_at timestamptz, updated_at timestamptz NOT NULL,
      PRIMARY KEY (project, unit));
    CREATE INDEX ON ${schema}.units (project, status);
    CREATE TABLE ${schema}.runs (
      project text NOT NULL, run_id text NOT NULL, command text NOT NULL, status text NOT NULL,
      started_at timestamptz NOT NULL, ended_at timestamptz, summary json, token bigint,
      PRIMARY KEY (project, run_id));
    CREATE INDEX ON ${schema}.runs (project, started_at);
    CREATE TABLE ${schema}.exports (
      project text NOT NULL, unit text COLLATE "C" NOT NULL, data_export_id text, store text NOT NULL,
      format text NOT NULL, prefix text NOT NULL, status text NOT NULL, requested_at timestamptz NOT NULL,
      run_id text, PRIMARY KEY (project, unit));
    CREATE TABLE ${schema}.open_crawls (
      project text NOT NULL, id text COLLATE "C" NOT NULL, PRIMARY KEY (project, id));
    CREATE TABLE ${schema}.facts (
      project text NOT NULL, name text NOT NULL, value text NOT NULL, PRIMARY KEY (project, name));
    CREATE TABLE ${schema}.leases (
      project text NOT NULL, name text NOT NULL, token bigint NOT NULL, holder json NOT NULL,
      until timestamptz NOT NULL, PRIMARY KEY (project, name));
    CREATE TABLE ${schema}.incidents (
      project text NOT NULL, key text COLLATE "C" NOT NULL, incident json NOT NULL, PRIMARY KEY (project, key));
    CREATE TABLE ${schema}.outbox (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, project text NOT NULL, target text NOT NULL,
      alert json NOT NULL);`,
  (schema) => `CREATE TABLE ${schema}.request_slots (account text PRIMARY KEY, next_at timestamptz NOT NULL)`,
  (schema) => `
    CREATE TABLE ${schema}.queue (
      project text NOT NULL, unit text COLLATE "C" NOT NULL, position bigint NOT NULL, run_id text NOT NULL,
      version text NOT NULL, work text NOT NULL, source_project text NOT NULL, store text, status text NOT NULL,
      claim text, claims integer NOT NULL, claimed_at timestamptz, until timestamptz, worker text NOT NULL DEFAULT '',
      progress json, error json, attempts integer NOT NULL DEFAULT 0, PRIMARY KEY (project, unit));
    CREATE INDEX ON ${schema}.queue (project, status)`,
  // The last transaction of each connection shows whether a commit succeeded whose answer was lost.
  (schema) => `
    CREATE TABLE ${schema}.commits (connection uuid PRIMARY KEY, id uuid, at timestamptz NOT NULL)`,
];

/** The version in `crawlhouse.version`. */
export const SHARED_LEDGER_VERSION = MIGRATIONS.length;

/**
 * Migrates the tables of a shared ledger to this version, within the caller's transaction. Only one process does so at
 * a time.
 *
 * @throws CrawlhouseError `newer_version`, `bad_settings` for a server that is too old
 */
export async function migrateSharedLedger(statements: LedgerStatements, schema: string): Promise<void> {
  const [server] = typedRows(
    ServerVersion,
    await statements.rows(`SELECT current_setting('server_version_num')::integer AS number`),
  );
  if (Number(server?.number) < OLDEST_SERVER) {
    throw new CrawlhouseError('bad_settings', 'ledger: the server is older than PostgreSQL 13', {
      hint: 'use PostgreSQL 13 or later',
    });
  }
  if ((await sharedVersion(statements, schema)) === SHARED_LEDGER_VERSION) return;
  await statements.rows('SELECT pg_advisory_xact_lock(hashtext($1))', [`crawlhouse ${schema}`]);
  // Another process may have migrated it first.
  const version = await sharedVersion(statements, schema);
  const name = ident(schema);
  if (version === null) {
    const [found] = await statements.rows('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
    // A role that may not create a schema uses one that an administrator has created.
    if (!found) await statements.rows(`CREATE SCHEMA ${name}`);
    await statements.rows(`CREATE TABLE ${name}.version (version integer NOT NULL)`);
    await statements.rows(`INSERT INTO ${name}.version VALUES (0)`);
  }
  for (const migration of MIGRATIONS.slice(version ?? 0)) await statements.rows(migration(name));
  await statements.rows(`UPDATE ${name}.version SET version = $1`, [SHARED_LEDGER_VERSION]);
}

/**
 * Opens connections to a shared ledger, migrates its tables, and calls `open`. Closes the connections if a step fails.
 */
export async function openShared<T>(
  address: PostgresAddress,
  patience: Patience,
  signal: AbortSignal,
  open: (pool: PostgresPool) => T | Promise<T>,
): Promise<T> {
  await using stack = new AsyncDisposableStack();
  const pool = stack.use(new PostgresPool(address, patience, signal));
  await pool.transaction((statements) => migrateSharedLedger(statements, address.schema));
  const opened = await open(pool);
  stack.move();
  return opened;
}

/**
 * Returns null if there is no ledger yet.
 *
 * @throws CrawlhouseError `newer_version`
 */
export async function sharedVersion(statements: LedgerStatements, schema: string): Promise<number | null> {
  const [found] = await statements.rows(
    `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname = $1 AND relname = 'version'`,
    [schema],
  );
  if (!found) return null;
  const [row] = typedRows(
    SchemaVersion,
    await statements.rows(`SELECT version FROM ${ident(schema)}.version`),
  );
  const version = Number(row?.version ?? 0);
  if (version <= SHARED_LEDGER_VERSION) return version;
  throw newerVersion(
    `the schema ${schema} of the ledger`,
    { what: 'ledger', found: version, known: SHARED_LEDGER_VERSION },
    'use the newer version on every machine that shares the ledger',
  );
}
