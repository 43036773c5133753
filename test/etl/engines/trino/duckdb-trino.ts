import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Connection, text } from '../../../../src/core/duckdb/duckdb.ts';
import type { EngineValue } from '../../../../src/etl/engines/engine.ts';
import { literal, type SqlValue } from '../../../../src/etl/engines/trino/client/literal.ts';
import { TrinoClient, type TrinoPage } from '../../../../src/etl/engines/trino/client/trino-client.ts';
import { TrinoFailure, trinoError } from '../../../../src/etl/engines/trino/client/trino-error.ts';
import type { TrinoPlace } from '../../../../src/etl/engines/trino/trino-place.ts';
import { LocalStore } from '../../../support/local-store.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';
import { openWarehouse } from '../../pipeline/transform/test-warehouse.ts';

const BUCKET = 'lake';

/** A Trino whose statements DuckDB runs, with a folder as its bucket. It has no snapshots, and no conflicts. */
class DuckDbTrino extends TrinoClient {
  /** The statements so far, by source. */
  readonly said: { readonly sql: string; readonly source: string | undefined }[] = [];
  readonly #connection: Connection;
  readonly #folder: string;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(connection: Connection, folder: string) {
    super({ url: 'http://trino.invalid', user: 'test' });
    this.#connection = connection;
    this.#folder = folder;
  }

  override async *pages(
    sql: string,
    { values = [], source }: { readonly values?: readonly SqlValue[]; readonly source?: string } = {},
  ): AsyncGenerator<TrinoPage> {
    const given = [...values];
    const whole = sql.replaceAll('?', () => literal(given.shift() ?? null));
    this.said.push({ sql: whole, source });
    const done = this.#turn.then(() => this.#run(whole));
    this.#turn = done.catch(() => {});
    yield await done;
  }

  async #run(sql: string): Promise<TrinoPage> {
    try {
      const own = this.#translated(sql);
      if (own === null) return { columns: [], rows: [], updateCount: 0n } as unknown as TrinoPage;
      if (!/^\s*(SELECT|WITH)/.test(own))
        return {
          columns: [],
          rows: [],
          updateCount: await this.#connection.run(own),
        } as unknown as TrinoPage;
      const found = await this.#connection.rows(own);
      const columns = Object.keys(found[0] ?? {}).map((name) => ({ name }));
      const rows = found.map((row) => Object.entries(row).map(([name, value]) => engineValue(name, value)));
      return { columns, rows } as unknown as TrinoPage;
    } catch (error) {
      const message = `${(error as Error).message}: ${sql}`;
      const errorName = message.includes('does not exist') ? 'TABLE_NOT_FOUND' : 'GENERIC_USER_ERROR';
      throw trinoError(new TrinoFailure('q1', { errorName, errorType: 'USER_ERROR', message }));
    }
  }

  /** Null for a statement that DuckDB does not need. */
  #translated(sql: string): string | null {
    if (/^COMMENT ON|EXECUTE (optimize|expire_snapshots|remove_orphan_files)/.test(sql)) return null;
    const [, table, key] =
      /^ALTER TABLE (\S+) EXECUTE add_files\(location => 's3:\/\/lake\/((?:[^']|'')+)'/.exec(sql) ?? [];
    if (key !== undefined)
      return `INSERT INTO ${table} BY NAME FROM read_parquet(${text(join(this.#folder, key.replaceAll(`''`, `'`)))}, hive_partitioning = false)`;
    const quoted = /("(?:[^"]|"")*"|'(?:[^']|'')*')/;
    return sql
      .replace(/ WITH \((location|partitioning) = .*\)$/, '')
      .replaceAll('"lake".', '')
      .split(quoted)
      .map((part, at) => (at % 2 === 0 ? duckDbTypes(part) : part))
      .join('');
  }
}

function duckDbTypes(sql: string): string {
  return (
    sql
      .replaceAll('timestamp(6) with time zone', 'timestamptz')
      // Also of a NULL, as in Trino.
      .replaceAll('max_by(', 'arg_max_null(')
      .replaceAll(/\barray\(((?:[^()]|\(\d+,\d+\))*)\)/g, '$1[]')
  );
}

/** Types of stored columns as Trino writes them, and values as its client reads them. */
function engineValue(name: string, value: unknown): EngineValue {
  if (name !== 'data_type') return value as EngineValue;
  const type = String(value).toLowerCase();
  return type.endsWith('[]') ? `array(${type.slice(0, -2)})` : type;
}

/** A warehouse in a Trino of its own, whose catalog has `raw.crawl_pages (_unit VARCHAR, n BIGINT)`. */
export async function duckDbPlace(): Promise<TrinoPlace & { readonly client: DuckDbTrino }> {
  const folder = await temporaryFolder();
  const warehouse = await openWarehouse();
  onTestFinished(() => warehouse[Symbol.asyncDispose]());
  const { connection } = warehouse;
  await connection.run('CREATE TABLE raw.crawl_pages (_unit VARCHAR, n BIGINT)');
  const server = await temporaryConnection(join(folder, 'trino'));
  await server.run('CREATE MACRO json_format(value) AS CAST(value AS VARCHAR)');
  const bucket = join(folder, 'bucket');
  await mkdir(bucket);
  return {
    client: new DuckDbTrino(server, bucket),
    catalog: 'lake',
    prefix: 'p_',
    bucket: BUCKET,
    folder: `rows/${randomUUID()}`,
    objects: new LocalStore({ folder: bucket }),
    connection,
    temporary: join(folder, 'on their way'),
  };
}
