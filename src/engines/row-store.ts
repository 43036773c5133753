import type { CrawlhouseError } from '../core/errors/errors.ts';
import type { PreparedLoad } from '../project/model/prepared-load.ts';

/** Rows that another process has put into the warehouse's bucket. */
export interface PreparedRows {
  readonly load: PreparedLoad;
  /**
   * Fetches the files of the package, if the prepared load is out of date or was refused.
   *
   * @param refused why it could not be registered
   */
  readonly bringParts: (refused?: CrawlhouseError) => Promise<void>;
}

export interface UnitRows {
  /** The table: `raw.crawl_pages`. The catalogue has it with all of its columns. */
  readonly relation: string;
  readonly unit: string;
  /** DuckDB's SQL of the values, by column. Other columns are NULL. */
  readonly values: ReadonlyMap<string, string>;
  /** What stands after FROM; null: the unit has no rows. */
  readonly from: string | null;
  readonly prepared?: PreparedRows | undefined;
  /** It has no former rows that would have to be found. */
  readonly isNew?: boolean;
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
  /** Replaces a unit's rows, within the transaction of the catalogue. Returns their number. */
  replaceUnit(rows: UnitRows, signal?: AbortSignal): Promise<bigint>;
  /** Removes the rows of units from a table. Returns their number. */
  removeUnits(relation: string, units: readonly string[], signal?: AbortSignal): Promise<bigint>;
  /**
   * Restores the published rows of units, which may be none. On DuckDB the published warehouse is attached as `FORMER`,
   * if there is one.
   *
   * @returns whether a column has another type by now, so that fingerprints no longer hold
   */
  restoreUnits(relation: string, units: readonly string[], signal?: AbortSignal): Promise<boolean>;
  /** Counts the rows of units, by unit; also while the catalogue is detached, for its copy. */
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
  /** Prepares everything but the catalogue's file for a publication, before the catalogue is copied. */
  prepare(signal?: AbortSignal): Promise<void>;
  /** Makes the rows visible to readers, right before the catalogue is replaced. The catalogue is detached. */
  publish(catalogue: CatalogueFile, signal?: AbortSignal): Promise<void>;
  /** Does work that can wait until after the publication: comments, and the removal of rows that nobody sees. */
  vacuum(signal?: AbortSignal): Promise<void>;
}
