import type { CrawlhouseError } from '../core/errors.ts';
import type { PreparedLoad } from '../project/model/prepared-load.ts';

/** Rows that another process has put into the warehouse's bucket. */
export interface PreparedRows {
  readonly load: PreparedLoad;
  /**
   * Brings the files of the package, where the load is not what would be written by now, or was refused.
   *
   * @param refused why it could not be registered
   */
  readonly bringParts: (refused?: CrawlhouseError) => Promise<void>;
}

/** Rows that are to be a unit's. */
export interface UnitRows {
  /** The table: `raw.crawl_pages`. The catalogue has it with all of its columns. */
  readonly relation: string;
  readonly unit: string;
  /** DuckDB's SQL of the values, by column. Other columns are NULL. */
  readonly values: ReadonlyMap<string, string>;
  /** What stands after FROM; null: the unit has no rows. */
  readonly from: string | null;
  readonly prepared?: PreparedRows | undefined;
}

/** The finished copy of the catalogue that a publication puts in place. */
export interface CatalogueFile {
  readonly path: string;
  /** Of the publication. */
  readonly id: string;
}

/**
 * The rows of units, in the engine that keeps them (docs/decisions/engines.md). Columns, types and `ops` are in the
 * catalogue, which is DuckDB's with each engine. So are the rows of lists of resources.
 */
export interface RowStore {
  /** Whether the rows of all units are in the catalogue, so that its copy is the whole publication. */
  readonly isInCatalogue: boolean;
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
  /** Counts the rows of units, by unit. */
  countUnits(
    relation: string,
    units: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, bigint>>;
  /**
   * The columns, with their types, of the table that holds a relation's rows outside of the catalogue; none where there is
   * no such table.
   */
  storedColumns(relation: string, signal?: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /** Makes everything but the catalogue's file ready for a publication, before the catalogue is copied. */
  prepare(signal?: AbortSignal): Promise<void>;
  /** Shows readers the rows, right before the catalogue gets its place. */
  show(catalogue: CatalogueFile, signal?: AbortSignal): Promise<void>;
  /** Does what can wait until all is published: comments, and the removal of what nobody sees any more. */
  tidy(signal?: AbortSignal): Promise<void>;
}
