import type { Connection } from '../../core/duckdb/duckdb.ts';
import type { PlannedModel } from '../project/sql/plan/plan-models.ts';
import type { PartitionChanges } from '../state/catalog/ops/ops-model-partitions.ts';
import type { ViewCopies } from './duckdb/view-copies.ts';

/** Answers portable SELECTs without parameters on raw, mart and ops. */
export type ModelQueries = Pick<Connection, 'rows' | 'jsonRows' | 'scalar'>;

/**
 * Builds the rows of models, and reads them for their tests. With each engine, `ops` and the columns of the models are
 * in the catalog (docs/decisions/engines.md).
 */
export interface ModelEngine {
  /** Queries of the models and their sources, with the changes of this run. */
  readonly queries: ModelQueries;
  /** @throws CrawlhouseError `bad_model` for SQL that the engine would read differently from DuckDB */
  check(plan: readonly PlannedModel[]): Promise<void>;
  /** Makes the engine's rows match the catalog, after loads and after rollbacks of the catalog. */
  synchronize(plan: readonly PlannedModel[], signal?: AbortSignal): Promise<void>;
  /** Returns the model with a SELECT of its partitions that the catalog can answer. */
  local(planned: PlannedModel, signal?: AbortSignal): Promise<PlannedModel>;
  /**
   * Builds a model, or only its changed partitions, with its columns in the catalog. Runs within the catalog's
   * transaction.
   *
   * @returns its number of rows; null for a view
   */
  make(
    planned: PlannedModel,
    changes: PartitionChanges | undefined,
    signal?: AbortSignal,
  ): Promise<bigint | null>;
  /** Returns copies of small views for the builds of a plan, if the engine reads them faster. */
  viewCopies?(plan: readonly PlannedModel[]): ViewCopies;
  /** Removes the rows of a model that the catalog no longer contains. */
  drop(name: string, signal?: AbortSignal): Promise<void>;
}

export interface ModelPlace {
  readonly connection: Connection;
  readonly engine: ModelEngine;
}
