import type { Connection } from '../core/duckdb/duckdb.ts';
import type { PlannedModel } from '../project/sql/plan/plan-models.ts';
import type { PartitionChanges } from '../state/catalogue/ops/ops-model-partitions.ts';

/** Answers portable SELECTs on raw, mart and ops. They have no parameters. */
export type ModelQueries = Pick<Connection, 'rows' | 'jsonRows' | 'scalar'>;

/**
 * Makes the rows of models, and reads them for their tests. `ops` and the columns of the models are in the catalogue
 * with each engine (docs/decisions/engines.md).
 */
export interface ModelEngine {
  /** What the models read and are, with the changes of this run. */
  readonly queries: ModelQueries;
  /** @throws CrawlhouseError `bad_model` for SQL that the engine would read otherwise than DuckDB */
  check(plan: readonly PlannedModel[]): Promise<void>;
  /** Makes the engine's rows match the catalogue, after loads and after rollbacks of the catalogue. */
  synchronize(plan: readonly PlannedModel[], signal?: AbortSignal): Promise<void>;
  /** The model with a SELECT of its partitions that the catalogue answers. */
  local(planned: PlannedModel, signal?: AbortSignal): Promise<PlannedModel>;
  /**
   * Makes a model, or only the partitions that have changed, with its columns in the catalogue. Within the catalogue's
   * transaction.
   *
   * @returns the rows that it has then; null for a view
   */
  make(
    planned: PlannedModel,
    changes: PartitionChanges | undefined,
    signal?: AbortSignal,
  ): Promise<bigint | null>;
  /** Takes the rows of a model away, once the catalogue has it no more. */
  drop(name: string, signal?: AbortSignal): Promise<void>;
}

export interface ModelPlace {
  readonly connection: Connection;
  readonly engine: ModelEngine;
}
