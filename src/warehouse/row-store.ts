/** Rows that are to be a unit's. */
export interface UnitRows {
  /** The table: `raw.crawl_pages`. The catalogue has it with all of its columns. */
  readonly relation: string;
  readonly unit: string;
  /** DuckDB's SQL of the values, by column. Other columns are NULL. */
  readonly values: ReadonlyMap<string, string>;
  /** What stands after FROM; null: the unit has no rows. */
  readonly from: string | null;
}

/**
 * The rows of units, in the engine that keeps them (docs/decisions/engines.md). Columns, types and `ops` are in the
 * catalogue, which is DuckDB's with each engine.
 */
export interface RowStore {
  /** Puts rows in the place of a unit's, within the transaction of the catalogue. Returns their number. */
  replaceUnit(rows: UnitRows, signal?: AbortSignal): Promise<bigint>;
  /** Takes the rows of units out of a table. Returns their number. */
  removeUnits(relation: string, units: readonly string[], signal?: AbortSignal): Promise<bigint>;
  /**
   * Gives units the rows again that readers see of them, which may be none. On DuckDB the published warehouse is attached
   * as `FORMER`, if there is one.
   *
   * @returns whether a column has another type by now, so that fingerprints no longer hold
   */
  restoreUnits(relation: string, units: readonly string[], signal?: AbortSignal): Promise<boolean>;
}
