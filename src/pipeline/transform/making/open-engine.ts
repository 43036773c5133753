import { TrinoRows } from '../../../engines/trino/trino-rows.ts';
import type { WorkingCopy } from '../../../engines/working-copy.ts';
import { DuckDbModels } from './duckdb-models.ts';
import type { ModelEngine } from './model-engine.ts';
import { TrinoModels } from './trino-models.ts';

/** The engine that keeps the rows of a working copy makes its models. */
export function modelEngine({ connection, rows }: Pick<WorkingCopy, 'connection' | 'rows'>): ModelEngine {
  return rows instanceof TrinoRows ? new TrinoModels(connection, rows) : new DuckDbModels(connection);
}
