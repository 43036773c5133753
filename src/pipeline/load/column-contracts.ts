import type { Pipeline } from '../../project/model/pipeline.ts';
import type { ColumnContract } from './refuse-drift.ts';

/** The rules of a pipeline file for changes, for each column that has its own. */
export function columnContracts(columns: Pipeline['columns']): Map<string, ColumnContract> {
  return new Map(
    Object.entries(columns).flatMap(([name, column]) =>
      typeof column === 'string'
        ? []
        : [[name, { schemaChange: column.schema_change, retype: column.retype }] as const],
    ),
  );
}
