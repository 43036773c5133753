import type { Pipeline } from '../model/pipeline.ts';
import type { ColumnContract } from './refuse-drift.ts';

/** What a pipeline file says of changes, of each column where it says so. */
export function columnContracts(columns: Pipeline['columns']): Map<string, ColumnContract> {
  return new Map(
    Object.entries(columns).flatMap(([name, column]) =>
      typeof column === 'string'
        ? []
        : [[name, { schemaChange: column.schema_change, retype: column.retype }] as const],
    ),
  );
}
