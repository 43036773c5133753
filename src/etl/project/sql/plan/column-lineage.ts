import type { Connection } from '../../../../core/duckdb/duckdb.ts';
import type { SqlNode } from '../../../../core/duckdb/serialize-sql.ts';
import type { Model } from '../models/model.ts';
import { orderModels } from '../models/order-models.ts';
import { type ColumnSources, sourcesOf } from '../text/select-lineage.ts';
import { parseSelect } from '../text/sql-tree.ts';
import { tableReferences } from '../text/table-references.ts';

/** The columns of `raw` and `ops` (`raw.crawl_pages.url`) that each column of each model is computed from. */
export type ColumnLineage = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/**
 * Traces the columns of models through their SQL to the loaded tables: a column of a table of `raw` is the service's
 * field of that name. Columns that only select rows (WHERE, ON, GROUP BY) are not sources.
 *
 * @throws CrawlhouseError `bad_model` for SQL that does not parse
 */
export async function columnLineage(
  connection: Connection,
  models: readonly Model[],
): Promise<ColumnLineage> {
  const byName = new Map(models.map((model) => [model.name, model]));
  const trees = new Map<string, SqlNode>();
  for (const { name, sql, file, sqlLine } of models) {
    trees.set(name, await parseSelect(connection, sql, { file, line: sqlLine }));
  }
  const reads = (name: string): ReadonlySet<string> =>
    new Set(
      tableReferences(trees.get(name) as SqlNode)
        .map((reference) => `${reference.schema}.${reference.name}`.toLowerCase())
        .filter((read) => byName.has(read)),
    );
  const ordered = orderModels(new Map(models.map(({ name }) => [name, reads(name)])));
  if ('circle' in ordered) return new Map();

  const lineage = new Map<string, ColumnSources>();
  for (const name of ordered.order) {
    const model = byName.get(name) as Model;
    const found = sourcesOf(
      trees.get(name) as SqlNode,
      (table) => lineage.get(table) ?? declared(model, table),
    );
    const columns = [...model.columns.keys()];
    lineage.set(
      name,
      new Map(columns.map((column) => [column, found.get(column.toLowerCase()) ?? new Set()])),
    );
  }
  return new Map(
    [...lineage].map(([name, columns]) => [
      name,
      new Map([...columns].map(([column, sources]) => [column, [...sources].sort()])),
    ]),
  );
}

/** Returns the columns of a loaded table, which are those that the model declares. */
function declared(model: Model, table: string): ColumnSources {
  const columns = [...(model.reads.get(table)?.keys() ?? [])];
  return new Map(columns.map((column) => [column, new Set([`${table}.${column}`])]));
}
