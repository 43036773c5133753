import { performance } from 'node:perf_hooks';
import { type Connection, ident, relationTable } from '../../core/duckdb/duckdb.ts';
import { releaseMemory } from '../../core/duckdb/lower-memory.ts';
import type { Model } from '../../project/sql/models/model.ts';
import {
  inPartitions,
  type OneOf,
  type PartitionedModel,
  partitionedModel,
  presentPartitions,
  semiJoinPartitions,
} from '../../project/sql/plan/partitions.ts';
import type { PlannedModel } from '../../project/sql/plan/plan-models.ts';
import { rawRows } from '../../state/catalogue/catalog.ts';
import type { PartitionChanges } from '../../state/catalogue/ops/ops-model-partitions.ts';
import type { ModelEngine } from '../model-engine.ts';
import { type NarrowRead, narrowed, running } from '../narrow-model.ts';

/** One statement builds as many partitions of a model as have about so many rows of the warehouse: it holds them in memory. */
const ROWS_AT_ONCE = 500_000;
/** Milliseconds. */
const QUICK = 500;

/** A view that a statement reads so often is kept for it, if it has so few rows: DuckDB would plan it each time. */
const READS_KEPT = 3;
const ROWS_KEPT = 10_000;
const READS_OFTEN = 20;

/** DuckDB moves a condition down beside UNNEST, and then holds all rows for a join (1.5, EXPLAIN: DELIM_JOIN with WINDOW). */
const UNNESTS = /\bCROSS JOIN UNNEST\(/i;

/** DuckDB makes a join of a longer IN, which takes about 16 MB wherever a statement has one. */
const LONGEST_IN = 4;

/** Several values without a join. The limits let a scan skip row groups. */
const oneOf: OneOf = (column, values) => {
  if (values.length <= LONGEST_IN) return `${column} IN (${values.join(', ')})`;
  const list = `[${values.join(', ')}]`;
  return `(${column} BETWEEN list_min(${list}) AND list_max(${list}) AND list_contains(${list}, ${column}))`;
};

function partitionsOf(planned: PlannedModel): PartitionedModel | undefined {
  const partitioned = partitionedModel(planned);
  return partitioned && { ...partitioned, oneOf };
}

/** Makes models in the working copy itself. */
export class DuckDbModels implements ModelEngine {
  readonly queries: Connection;

  constructor(connection: Connection) {
    this.queries = connection;
  }

  // All of DuckDB's SQL is right here, and the rows are where the catalogue is.
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
    const partitioned = partitionsOf(planned);
    const share = ROWS_AT_ONCE / ((hasWithin(planned.model) && (await rawRows(connection))) || 1);
    return changes && partitioned
      ? replacePartitions(connection, { ...planned, partitioned }, changes, { share, signal })
      : createModel(connection, planned, { share, signal });
  }

  async drop(): Promise<void> {}
}

/** Deletes outdated and removed partitions and inserts the new ones. Returns the rows that the table then has. */
async function replacePartitions(
  connection: Connection,
  planned: WithPartitions,
  { behind, gone }: PartitionChanges,
  options: StatementOptions,
): Promise<bigint> {
  const name = relationTable(planned.model.name);
  return await running(planned.model, async () => {
    await connection.run(
      `DELETE FROM ${name} WHERE ${inPartitions(planned.partitioned, [...behind, ...gone])}`,
      [],
      options.signal,
    );
    await insertPartitions(connection, planned, behind, options);
    return (await connection.scalar(`SELECT count(*) FROM ${name}`)) as bigint;
  });
}

interface WithPartitions extends PlannedModel {
  readonly partitioned: PartitionedModel;
}

interface StatementOptions {
  /** The share of the partitions that one statement may build, unless they turn out small; it builds one at least. */
  readonly share?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Adds the rows of partitions, a few at a time where the model has `within`. Returns the number of rows. */
async function insertPartitions(
  connection: Connection,
  { model, sql, outputs, partitioned }: WithPartitions,
  partitions: readonly string[],
  { share = 0, signal }: StatementOptions,
): Promise<bigint> {
  const columns = [...outputs.keys()].map(ident).join(', ');
  const insert = `INSERT INTO ${relationTable(model.name)} (${columns})`;
  const most = hasWithin(model)
    ? Math.max(1, Math.floor(partitions.length * Math.min(share, 1)))
    : partitions.length;
  let count = most;
  let rows = 0n;
  for (let start = 0; start < partitions.length; ) {
    const some = partitions.slice(start, start + count);
    if (start > 0) await releaseMemory(connection);
    const startedAt = performance.now();
    const kept: string[] = [];
    const keep = async (read: NarrowRead): Promise<string> => {
      const name = await keepRows(connection, read, kept.length);
      if (name === undefined) return read.select;
      kept.push(name);
      return `SELECT * FROM ${name}`;
    };
    const narrow = await narrowed(connection, { model, sql }, { partitioned, behind: some, keep });
    const only =
      UNNESTS.test(narrow) && some.length === 1
        ? semiJoinPartitions(partitioned, some)
        : `WHERE ${inPartitions(partitioned, some)}`;
    const made = `SELECT ${columns} FROM (${narrow}\n) AS made ${only}`;
    rows += await connection.run(`${insert} ${made}`, [], signal);
    for (const name of kept) await connection.run(`DROP TABLE ${name}`);
    start += some.length;
    // What was quick had few rows, and costs more for being a statement than for its partitions.
    count = performance.now() - startedAt < QUICK ? count * 2 : most;
  }
  return rows;
}

/** Puts rows that are read often into a temporary table, if they are few; its name. */
async function keepRows(
  connection: Connection,
  { select, times }: NarrowRead,
  number: number,
): Promise<string | undefined> {
  if (times < READS_KEPT) return undefined;
  const some = await connection.scalar(`SELECT count(*) FROM (${select} LIMIT ${ROWS_KEPT + 1})`);
  if (Number(some) > ROWS_KEPT) return undefined;
  const name = `temp.main.narrowed_${number}`;
  await connection.run(`CREATE OR REPLACE TEMP TABLE narrowed_${number} AS ${select}`);
  return name;
}

/** Whether a model limits what it reads to its partitions, so that a few of them cost little. */
function hasWithin({ incremental }: Model): boolean {
  return Object.keys(incremental?.within ?? {}).length > 0;
}

/** Whether a model reads one of the models under `within` so often that planning it takes longer than its rows. */
function readsOften({ model, sql }: PlannedModel): boolean {
  return Object.keys(model.incremental?.within ?? {}).some((name) => sql.split(name).length > READS_OFTEN);
}

/**
 * Builds a model as a whole. Returns the rows of a table, null for a view. A table with `within` is built by
 * partitions: as many in a statement as fit its memory, and with the small views that it reads often kept.
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
  return await running(model, async () => {
    const often = readsOften(planned);
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
    return insertPartitions(connection, { ...planned, partitioned }, partitions, options);
  });
}
