import type { Connection } from '../core/duckdb.ts';
import type { PartitionChanges } from '../warehouse/ops-model-partitions.ts';
import type { TrinoRows } from '../warehouse/trino/trino-rows.ts';
import { referenceName } from './inspect-model.ts';
import { modelError } from './model-error.ts';
import { partitionedModel } from './partitions.ts';
import type { PlannedModel } from './plan-models.ts';
import { replaceTables } from './replace-tables.ts';
import { sqlReferences } from './sql-references.ts';
import { translateModel } from './translate-sql.ts';

interface BuildOptions {
  /** The partitions to build; all when absent. */
  readonly changes?: PartitionChanges | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Builds a model, or partitions of it, in Trino from what the writer sees. Readers see it with the next publication.
 *
 * @param connection the catalogue
 * @returns the rows that were written, null for a view
 * @throws CrawlhouseError `bad_model`
 */
export async function buildOnTrino(
  connection: Connection,
  rows: TrinoRows,
  planned: PlannedModel,
  { changes, signal }: BuildOptions = {},
): Promise<bigint | null> {
  const { model, sql, outputs } = planned;
  const references = await sqlReferences(connection, sql, { file: model.file, line: model.sqlLine });
  const selectFrom = (nameOf: (relation: string) => string): string => {
    const renamed = replaceTables(sql, references, (reference) =>
      reference.schema === '' ? undefined : `SELECT * FROM ${nameOf(referenceName(reference))}`,
    );
    return translateModel(renamed, outputs);
  };
  try {
    if (model.kind === 'table') {
      const select = selectFrom((relation) => rows.names.work(relation));
      const by = partitionedModel(planned)?.by;
      const partitions = by && changes && { by, built: changes.behind, gone: changes.gone };
      return await rows.build({ relation: model.name, columns: outputs, select }, partitions, signal);
    }
    await rows.view(model.name, selectFrom, signal);
    return null;
  } catch (error) {
    throw modelError(model, error, 'made');
  }
}
