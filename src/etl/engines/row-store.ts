import type { CrawlhouseError } from '../../core/errors/errors.ts';
import type { PreparedLoad } from '../project/model/prepared-load.ts';

/** Rows that another process has uploaded to the warehouse's bucket. */
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
  /** The table, such as `raw.crawl_pages`. The catalog contains the table with all of its columns. */
  readonly relation: string;
  readonly unit: string;
  /** DuckDB's SQL of the values, by column. Other columns are NULL. */
  readonly values: ReadonlyMap<string, string>;
  /** The content of FROM; null if the unit has no rows. */
  readonly from: string | null;
  readonly prepared?: PreparedRows | undefined;
  /** Whether there are no previous rows to find. */
  readonly isNew?: boolean;
}

/** The finished copy of the catalog for a publication. */
export interface CatalogFile {
  readonly path: string;
  /** Id of the publication. */
  readonly id: string;
}

/**
 * Stores the rows of units in their engine (docs/decisions/engines.md). Columns, types, `ops` and the rows of lists of
 * resources are in the catalog, which is a DuckDB file with every engine.
 */
export interface RowStore {
  /** Whether the catalog contains the rows of all units, so that its copy is the whole publication. */
  readonly isInCatalog: boolean;
  /** Replaces a unit's rows, within the transaction of the catalog. Returns their number. */
  replaceUnit(rows: UnitRows, signal?: AbortSignal): Promise<bigint>;
  /** Removes the rows of units from a table. Returns their number. */
  removeUnits(relation: string, units: readonly string[], signal?: AbortSignal): Promise<bigint>;
  /**
   * Restores the published rows of units. A unit may have no published rows. With DuckDB, the published warehouse is
   * attached as `FORMER`, if there is one.
   *
   * @returns whether a column has changed its type since, so that fingerprints are no longer valid
   */
  restoreUnits(relation: string, units: readonly string[], signal?: AbortSignal): Promise<boolean>;
  /** Counts the rows of units, by unit. Also works while the catalog is detached to be copied. */
  countUnits(
    relation: string,
    units: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, bigint>>;
  /**
   * Returns the columns, with their types, of the table that stores a relation's rows outside of the catalog; none if
   * there is no such table.
   */
  storedColumns(relation: string, signal?: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /** Prepares everything except the catalog's file for a publication, before the catalog is copied. */
  prepare(signal?: AbortSignal): Promise<void>;
  /** Makes the rows visible to readers, right before the catalog is replaced. The catalog is detached. */
  publish(catalog: CatalogFile, signal?: AbortSignal): Promise<void>;
  /** Does work that can wait until after the publication: comments, and the removal of invisible rows. */
  vacuum(signal?: AbortSignal): Promise<void>;
}
