import { performance } from 'node:perf_hooks';
import { type Connection, ident, relationTable } from '../../../core/duckdb/duckdb.ts';
import { releaseMemory } from '../../../core/duckdb/lower-memory.ts';
import { describeColumns } from '../../../core/duckdb/table-columns.ts';
import type { Model } from '../../project/sql/models/model.ts';
import { modelError } from '../../project/sql/plan/model-error.ts';
import {
  inPartitions,
  type OneOf,
  type PartitionedModel,
  partitionedModel,
  presentPartitions,
  semiJoinPartitions,
} from '../../project/sql/plan/partitions.ts';
import type { PlannedModel } from '../../project/sql/plan/plan-models.ts';
import { rawRows } from '../../state/catalog/catalog.ts';
import type { PartitionChanges } from '../../state/catalog/ops/ops-model-partitions.ts';
import type { ModelEngine } from '../model-engine.ts';
import { type NarrowRead, narrowed } from '../narrow-model.ts';
import { COLUMNS_COPIED, ViewCopies } from './view-copies.ts';

/** Approximate rows of the partitions that one statement builds, because the statement keeps them in memory. */
const ROWS_AT_ONCE = 500_000;
/** Milliseconds of a quick statement. */
const QUICK = 500;

/**
 * If a statement reads a small view at least this many times, the view is stored first. Otherwise DuckDB would plan it
 * each time.
 */
const READS_KEPT = 3;
const ROWS_KEPT = 10_000;
const READS_OFTEN = 20;

/**
 * DuckDB pushes a condition down to UNNEST, and then keeps all rows for a join (1.5, EXPLAIN: DELIM_JOIN with WINDOW).
 */
const UNNESTS = /\bCROSS JOIN UNNEST\(/i;

/** DuckDB turns a longer IN into a join, and each such join needs about 16 MB. */
const LONGEST_IN = 4;

/** Compares with several values without a join. The limits let a scan skip row groups. */
const oneOf: OneOf = (column, values) => {
  if (values.length <= LONGEST_IN) return `${column} IN (${values.join(', ')})`;
  const list = `[${values.join(', ')}]`;
  return `(${column} BETWEEN list_min(${list}) AND list_max(${list}) AND list_contains(${list}, ${column}))`;
};

function partitionsOf(planned: PlannedModel): PartitionedModel | undefined {
  const partitioned = partitionedModel(planned);
  return partitioned && { ...partitioned, oneOf };
}

/** Builds models in the working copy itself. */
export class DuckDbModels implements ModelEngine {
  readonly queries: Connection;
  #copies: ViewCopies | undefined;

  constructor(connection: Connection) {
    this.queries = connection;
  }

  // All of DuckDB's SQL is valid here, and the rows are next to the catalog.
  async check(): Promise<void> {}

  async synchronize(): Promise<void> {}

  async local(planned: PlannedModel): Promise<PlannedModel> {
    return planned;
  }

  async make(
    planned: PlannedModel,
    changes: PartitionChanges | undefined,
    signal?: AbortSignal,
  ): Promise<bigint | null> {
    const connection = this.queries;
    this.#copies?.noteBuild();
    const partitioned = partitionsOf(planned);
    const share = ROWS_AT_ONCE / ((hasWithin(planned.model) && (await rawRows(connection))) || 1);
    const options = { share, signal, copies: this.#copies };
    return changes && partitioned
      ? replacePartitions(connection, { ...planned, partitioned }, changes, options)
      : createModel(connection, planned, options);
  }

  viewCopies(plan: readonly PlannedModel[]): ViewCopies {
    this.#copies = new ViewCopies(this.queries, plan);
    return this.#copies;
  }

  async drop(): Promise<void> {}
}

/** Deletes outdated and removed partitions and inserts the new ones. Returns the resulting number of rows. */
async function replacePartitions(
  connection: Connection,
  planned: WithPartitions,
  { behind, gone }: PartitionChanges,
  options: StatementOptions,
): Promise<bigint> {
  const name = relationTable(planned.model.name);
  try {
    await connection.run(
      `DELETE FROM ${name} WHERE ${inPartitions(planned.partitioned, [...behind, ...gone])}`,
      [],
      options.signal,
    );
    await insertPartitions(connection, planned, behind, options);
    return (await connection.scalar(`SELECT count(*) FROM ${name}`)) as bigint;
  } catch (error) {
    throw modelError(planned.model, error, 'made');
  }
}

interface WithPartitions extends PlannedModel {
  readonly partitioned: PartitionedModel;
}

interface StatementOptions {
  /**
   * Returns the share of the partitions that one statement may build, unless they turn out to be small. At least one is
   * built.
   */
  readonly share?: number;
  readonly copies?: ViewCopies | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Adds the rows of partitions, a few at a time if the model has `within`. Returns the number of rows. */
async function insertPartitions(
  connection: Connection,
  { model, sql, outputs, partitioned }: WithPartitions,
  partitions: readonly string[],
  { share = 0, signal, copies }: StatementOptions,
): Promise<bigint> {
  const columns = [...outputs.keys()].map(ident).join(', ');
  const insert = `INSERT INTO ${relationTable(model.name)} (${columns})`;
  const most = hasWithin(model)
    ? Math.max(1, Math.floor(partitions.length * Math.min(share, 1)))
    : partitions.length;
  const relationOf = (name: string): string => copies?.of(name) ?? relationTable(name);
  let count = most;
  let rows = 0n;
  for (let start = 0; start < partitions.length; ) {
    const some = partitions.slice(start, start + count);
    if (start > 0) await releaseMemory(connection);
    const startedAt = performance.now();
    const kept: string[] = [];
    const keep = async (read: NarrowRead): Promise<string> => {
      const isCopy = relationOf(read.name) !== relationTable(read.name);
      const name = isCopy ? undefined : await keepRows(connection, read, kept.length);
      if (name === undefined) return read.select;
      kept.push(name);
      return `SELECT * FROM ${name}`;
    };
    const narrow = await narrowed(
      connection,
      { model, sql },
      { partitioned, behind: some, keep, relationOf },
    );
    const only =
      UNNESTS.test(narrow) && some.length === 1
        ? semiJoinPartitions(partitioned, some)
        : `WHERE ${inPartitions(partitioned, some)}`;
    const made = `SELECT ${columns} FROM (${narrow}\n) AS made ${only}`;
    rows += await connection.run(`${insert} ${made}`, [], signal);
    for (const name of kept) await connection.run(`DROP TABLE ${name}`);
    start += some.length;
    // A quick statement had few rows. Its own cost is greater than that of its partitions.
    count = performance.now() - startedAt < QUICK ? count * 2 : most;
  }
  return rows;
}

/** Stores rows that are read often in a temporary table, if they are few and narrow. Returns its name. */
async function keepRows(
  connection: Connection,
  { select, times }: NarrowRead,
  number: number,
): Promise<string | undefined> {
  if (times < READS_KEPT) return undefined;
  const some = await connection.scalar(`SELECT count(*) FROM (${select} LIMIT ${ROWS_KEPT + 1})`);
  if (Number(some) > ROWS_KEPT) return undefined;
  if ((await describeColumns(connection, select)).length > COLUMNS_COPIED) return undefined;
  const name = `temp.main.narrowed_${number}`;
  await connection.run(`CREATE OR REPLACE TEMP TABLE narrowed_${number} AS ${select}`);
  return name;
}

/** Returns whether a model limits its reads to its partitions, so that building a few is cheap. */
function hasWithin({ incremental }: Model): boolean {
  return Object.keys(incremental?.within ?? {}).length > 0;
}

/** Returns whether a model reads a model under `within` so often that planning takes longer than reading its rows. */
function readsOften({ model, sql }: PlannedModel): boolean {
  return Object.keys(model.incremental?.within ?? {}).some((name) => sql.split(name).length > READS_OFTEN);
}

/**
 * Builds a model as a whole. Returns the rows of a table, null for a view. A table with `within` is built by
 * partitions. Each statement builds as many as fit in its memory, and uses stored copies of the small views that the
 * model reads often.
 */
export async function createModel(
  connection: Connection,
  planned: PlannedModel,
  options: StatementOptions = {},
): Promise<bigint | null> {
  const { share = 0, signal } = options;
  const { model, sql, outputs } = planned;
  const partitioned = partitionsOf(planned);
  const name = relationTable(model.name);
  const often = readsOften(planned);
  try {
    const partitions =
      partitioned && hasWithin(model) && (share < 1 || often)
        ? await presentPartitions(connection, partitioned)
        : [];
    if (!partitioned || partitions.length < (often ? 1 : 2)) {
      const rows = await connection.run(`CREATE OR REPLACE ${model.kind} ${name} AS ${sql}`, [], signal);
      return model.kind === 'view' ? null : rows;
    }
    const columns = [...outputs].map(([column, type]) => `${ident(column)} ${type}`);
    await connection.run(`CREATE OR REPLACE TABLE ${name} (${columns.join(', ')})`);
    return await insertPartitions(connection, { ...planned, partitioned }, partitions, options);
  } catch (error) {
    throw modelError(model, error, 'made');
  }
}
