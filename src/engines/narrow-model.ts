import { type Connection, table } from '../core/duckdb.ts';
import type { Model } from '../project/sql/models/model.ts';
import { referenceName } from '../project/sql/plan/inspect-model.ts';
import { modelError } from '../project/sql/plan/model-error.ts';
import { inPartitions, type PartitionedModel, withinPartitions } from '../project/sql/plan/partitions.ts';
import type { PlannedModel } from '../project/sql/plan/plan-models.ts';
import { replaceTables } from '../project/sql/text/replace-tables.ts';
import { sqlReferences } from '../project/sql/text/sql-references.ts';

/** The SQL with a condition on the models under `within`. */
export async function narrowed(
  connection: Connection,
  { model: { file, sqlLine, incremental }, sql }: Pick<PlannedModel, 'model' | 'sql'>,
  partitioned: PartitionedModel,
  behind: readonly string[],
): Promise<string> {
  const conditions = new Map<string, string>();
  const known = new Map<string, string>();
  for (const [name, columns] of Object.entries(incremental?.within ?? {})) {
    const key = JSON.stringify(columns);
    const condition =
      known.get(key) ??
      (columns
        ? await withinPartitions(connection, partitioned, columns, behind)
        : inPartitions(partitioned, behind));
    known.set(key, condition);
    conditions.set(name, condition);
  }
  if (conditions.size === 0) return sql;
  const references = await sqlReferences(connection, sql, { file, line: sqlLine });
  return replaceTables(sql, references, (reference) => {
    const name = referenceName(reference);
    const condition = conditions.get(name);
    return condition && `SELECT * FROM ${table(...name.split('.'))} WHERE ${condition}`;
  });
}

/** Says of what fails while a model runs which file it is. */
export async function running<T>(model: Model, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw modelError(model, error, 'made');
  }
}
