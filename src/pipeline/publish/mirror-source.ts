import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Connection, ident, table as quoted, text } from '../../core/duckdb.ts';
import { literal } from '../../engines/trino/literal.ts';
import { selectRowsFile } from '../../engines/trino/rows-file.ts';
import { TrinoRows } from '../../engines/trino/trino-rows.ts';
import type { WorkingCopy } from '../../engines/working-copy.ts';
import type { MirrorPartition } from './plan-mirror.ts';

/** A table or view that is mirrored. */
export interface MirroredTable {
  /** With its schema: `raw.crawl_pages`. */
  readonly name: string;
  /** With DuckDB's types. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** The columns that tell its partitions apart; none: it is one partition. */
  readonly cut: readonly string[];
}

/** The rows of mirrored tables, in the engine that has them. */
export interface MirrorSource {
  /** The partitions of a table, without empty ones. */
  partitions(table: MirroredTable, signal: AbortSignal): Promise<MirrorPartition[]>;
  /** Writes a partition as Parquet, without the columns of its key. Returns the number of its rows. */
  write(table: MirroredTable, partition: MirrorPartition, file: string, signal: AbortSignal): Promise<bigint>;
}

export function mirrorSource({ connection, rows }: Pick<WorkingCopy, 'connection' | 'rows'>): MirrorSource {
  return rows instanceof TrinoRows ? new MirrorFromTrino(connection, rows) : new MirrorFromDuckDb(connection);
}

class MirrorFromDuckDb implements MirrorSource {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async partitions(table: MirroredTable, signal: AbortSignal): Promise<MirrorPartition[]> {
    const select = selectPartitions(table, 'sum(hash(t))::VARCHAR', quoted(...table.name.split('.')));
    return partitionsOf(table, await this.#connection.rows<PartitionRow>(select, [], signal));
  }

  write(
    { name, columns }: MirroredTable,
    { key }: MirrorPartition,
    file: string,
    signal: AbortSignal,
  ): Promise<bigint> {
    const where = key.map(([column], index) => isKey(column, `$${index + 1}`));
    return this.#connection.run(
      `COPY (${selectWithout(columns, key)} FROM ${quoted(...name.split('.'))} WHERE ${all(where)}) ${toParquet(file)}`,
      key.map(([, value]) => value),
      signal,
    );
  }
}

/** The rows come as lines of JSON, and DuckDB gives them the types of the catalogue. */
class MirrorFromTrino implements MirrorSource {
  readonly #connection: Connection;
  readonly #rows: TrinoRows;

  constructor(connection: Connection, rows: TrinoRows) {
    this.#connection = connection;
    this.#rows = rows;
  }

  async partitions(table: MirroredTable, signal: AbortSignal): Promise<MirrorPartition[]> {
    const fingerprint = `to_hex(checksum(ROW(${table.columns.map(({ name }) => ident(name)).join(', ')})))`;
    const select = this.#rows.resolve((nameOf) => selectPartitions(table, fingerprint, nameOf(table.name)));
    return partitionsOf(table, await this.#rows.rows<PartitionRow>(select, signal));
  }

  async write(
    { name, columns }: MirroredTable,
    { key }: MirrorPartition,
    file: string,
    signal: AbortSignal,
  ): Promise<bigint> {
    const own = columnsWithout(columns, key);
    const where = key.map(([column, value]) => isKey(column, literal(value)));
    const select = this.#rows.resolve(
      (nameOf) => `${selectWithout(columns, key)} FROM ${nameOf(name)} WHERE ${all(where)}`,
    );
    const lines = join(dirname(file), `${randomUUID()}.rows`);
    await mkdir(dirname(file), { recursive: true });
    try {
      await this.#rows.writeLines(select, lines, signal);
      return await this.#connection.run(
        `COPY (${selectRowsFile(lines, own)}) ${toParquet(file)}`,
        [],
        signal,
      );
    } finally {
      await rm(lines, { force: true });
    }
  }
}

/** The number of its rows, their fingerprint, and the values of its key. */
type PartitionRow = { readonly n: bigint; readonly fingerprint: string } & {
  readonly [column: `k${number}`]: string | null;
};

/** SQL of both engines. */
function selectPartitions({ cut }: MirroredTable, fingerprint: string, from: string): string {
  const keys = cut.map((name, index) => `CAST(${ident(name)} AS VARCHAR) AS k${index}`);
  const places = cut.map((_name, index) => index + 1).join(', ');
  return `SELECT ${[...keys, 'count(*) AS n', `${fingerprint} AS fingerprint`].join(', ')} FROM ${from} AS t
    ${places === '' ? '' : `GROUP BY ${places} ORDER BY ${places}`}`;
}

function partitionsOf({ name, cut }: MirroredTable, rows: readonly PartitionRow[]): MirrorPartition[] {
  return rows
    .filter(({ n }) => n > 0n)
    .map((row) => ({
      table: name,
      key: cut.map((column, index) => [column, row[`k${index}`] ?? null] as const),
      rows: Number(row.n),
      fingerprint: row.fingerprint,
    }));
}

function columnsWithout(
  columns: MirroredTable['columns'],
  key: MirrorPartition['key'],
): MirroredTable['columns'] {
  return columns.filter(({ name }) => !key.some(([column]) => column === name));
}

function selectWithout(columns: MirroredTable['columns'], key: MirrorPartition['key']): string {
  return `SELECT ${columnsWithout(columns, key)
    .map(({ name }) => ident(name))
    .join(', ')}`;
}

function isKey(column: string, value: string): string {
  return `CAST(${ident(column)} AS VARCHAR) IS NOT DISTINCT FROM ${value}`;
}

function all(conditions: readonly string[]): string {
  return conditions.length > 0 ? conditions.join(' AND ') : 'true';
}

function toParquet(file: string): string {
  return `TO ${text(file)} (FORMAT parquet, COMPRESSION zstd)`;
}
