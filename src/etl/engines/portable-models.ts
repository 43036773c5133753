import { type Connection, ident, relationTable, text } from '../../core/duckdb/duckdb.ts';
import { withoutEnd } from '../../core/duckdb/sql-tokens.ts';
import { describeColumns, tableColumns } from '../../core/duckdb/table-columns.ts';
import { referenceName } from '../project/sql/plan/inspect-model.ts';
import type { PlannedModel } from '../project/sql/plan/plan-models.ts';
import { badModel, type SqlPlace } from '../project/sql/text/bad-model.ts';
import { findNonPortable } from '../project/sql/text/portable-sql.ts';
import { sqlReferences } from '../project/sql/text/sql-references.ts';
import type { ModelQueries } from './model-engine.ts';

/**
 * Checks models for an engine whose SQL differs from DuckDB's (`ModelEngine.check`).
 *
 * @throws CrawlhouseError `bad_model` for the first SQL that is not portable, with its file and line
 */
export async function checkPortable(
  catalog: Connection,
  plan: readonly PlannedModel[],
  title: string,
): Promise<void> {
  const check = async (sql: string, start: SqlPlace): Promise<void> => {
    const [first] = await findNonPortable(catalog, sql, start);
    if (first) throw badModel(first, `does not run on ${title}: ${first.rule}`, `write ${first.instead}`);
  };
  for (const { model, tests } of plan) {
    const { incremental, file } = model;
    const at = (path: readonly PropertyKey[]): SqlPlace => ({ file, line: model.lineOf(path) });
    await check(model.sql, { file, line: model.sqlLine });
    if (incremental) await check(incremental.partitions, at(['incremental', 'partitions']));
    for (const test of tests) if (test.query !== null) await check(test.query, at(test.path));
  }
}

/**
 * Queries the engine for the partitions of a model if the catalog lacks the rows that define them
 * (`ModelEngine.local`).
 */
export async function localPartitions(
  catalog: Connection,
  queries: ModelQueries,
  planned: PlannedModel,
  signal?: AbortSignal,
): Promise<PlannedModel> {
  const { model, partitions } = planned;
  if (partitions === null) return planned;
  const { tables } = await sqlReferences(catalog, partitions, { file: model.file, line: 1 });
  const held = await catalogRelations(catalog);
  if (tables.every((table) => table.schema === '' || held.includes(referenceName(table)))) return planned;
  const made = `SELECT * FROM (${withoutEnd(partitions)}\n) AS made`;
  const columns = await describeColumns(catalog, made);
  const rows = await queries.jsonRows(made, [], signal);
  const texts = Object.fromEntries(columns.map((column) => [column.column_name, 'VARCHAR']));
  const values = columns.map(
    ({ column_name, column_type }) =>
      `CAST(${ident(column_name)} AS ${column_type}) AS ${ident(column_name)}`,
  );
  const given = `from_json(${text(JSON.stringify(rows))}, ${text(JSON.stringify([texts]))})`;
  return {
    ...planned,
    partitions: `SELECT ${values.join(', ')} FROM (SELECT unnest(${given}, recursive := true)) AS given`,
  };
}

/** Declares the columns of a model in the catalog, without rows. */
export async function declareModel(catalog: Connection, { model, sql }: PlannedModel): Promise<void> {
  const rows = model.kind === 'table' ? `FROM (${sql}\n) WHERE false` : sql;
  await catalog.run(`CREATE OR REPLACE ${model.kind} ${relationTable(model.name)} AS ${rows}`);
}

/**
 * Returns the relations whose rows are kept in the catalog and copied to another engine: `ops` and the lists of resources.
 */
export async function catalogRelations(connection: Connection): Promise<string[]> {
  const tables = await tableColumns(connection, ['raw', 'ops']);
  return [...tables]
    .filter(([name, columns]) =>
      // The table of pointers would change with each copy of itself.
      name.startsWith('ops.')
        ? name !== 'ops.pointers'
        : columns.some((column) => column.name === '_seen_to'),
    )
    .map(([name]) => name);
}
