import { type Connection, relationTable } from '../../core/duckdb/duckdb.ts';
import type { Model } from '../project/sql/models/model.ts';
import { referenceName } from '../project/sql/plan/inspect-model.ts';
import { modelError } from '../project/sql/plan/model-error.ts';
import { inPartitions, type PartitionedModel, withinPartitions } from '../project/sql/plan/partitions.ts';
import type { PlannedModel } from '../project/sql/plan/plan-models.ts';
import { replaceTables } from '../project/sql/text/replace-tables.ts';
import { sqlReferences } from '../project/sql/text/sql-references.ts';

/** A read of a model under `within` by a narrowed model. */
export interface NarrowRead {
  readonly name: string;
  readonly select: string;
  readonly times: number;
}

interface Narrowing {
  readonly partitioned: PartitionedModel;
  readonly behind: readonly string[];
  /** Returns the relation to read for a model; the model itself by default. */
  readonly relationOf?: (name: string) => string;
  /** Returns a replacement SELECT for a read, such as one of a copy. */
  readonly keep?: (read: NarrowRead) => Promise<string>;
}

/** Returns the SQL with a condition on the models under `within`. */
export async function narrowed(
  connection: Connection,
  { model: { file, sqlLine, incremental }, sql }: Pick<PlannedModel, 'model' | 'sql'>,
  { partitioned, behind, relationOf = relationTable, keep = async ({ select }) => select }: Narrowing,
): Promise<string> {
  const selects = new Map<string, string>();
  const known = new Map<string, string>();
  for (const [name, columns] of Object.entries(incremental?.within ?? {})) {
    const key = JSON.stringify(columns);
    const condition =
      known.get(key) ??
      (columns
        ? await withinPartitions(connection, partitioned, columns, behind)
        : inPartitions(partitioned, behind));
    known.set(key, condition);
    selects.set(name, `SELECT * FROM ${relationOf(name)} WHERE ${condition}`);
  }
  if (selects.size === 0) return sql;
  const references = await sqlReferences(connection, sql, { file, line: sqlLine });
  for (const [name, select] of selects) {
    const times = references.tables.filter((reference) => referenceName(reference) === name).length;
    selects.set(name, await keep({ name, select, times }));
  }
  return replaceTables(sql, references, (reference) => selects.get(referenceName(reference)));
}

/** Adds the file of the model to errors while it runs. */
export async function running<T>(model: Model, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw modelError(model, error, 'made');
  }
}
