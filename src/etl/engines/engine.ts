import type { z } from 'zod';
import type { Check } from '../../core/duckdb/check.ts';
import type { Connection } from '../../core/duckdb/duckdb.ts';
import type { Logger } from '../../core/logs/logger.ts';
import type { PreparedLoad } from '../project/model/prepared-load.ts';
import type { EngineAddress } from '../project/settings/settings.ts';
import type { MirrorSource } from './mirror-sql.ts';
import type { ModelEngine, ModelQueries } from './model-engine.ts';
import type { RowStore, UnitRows } from './row-store.ts';

/** Translates portable SQL (docs/models.md, "Portable SQL") for an engine. */
export interface Dialect {
  /** Returns SQL without comments and `;`. Line numbers stay the same, for the engine's errors. */
  translate(sql: string): string;
  /** Returns the readers' name of a relation of the catalog: `raw.crawl_pages`. */
  reader(relation: string): string;
  /** Returns a condition that is true where one of these columns contains a text, ignoring case. */
  contains(columns: readonly DialectColumn[], text: string): string;
  /** Returns the clause that limits an ordered answer to some rows. */
  slice(offset: number, limit: number): string;
}

interface DialectColumn {
  /** SQL of the column. */
  readonly name: string;
  /** A type of DuckDB. */
  readonly type: string;
}

/**
 * The description of an engine, without its libraries. With every engine, the catalog is a file of DuckDB, with
 * columns, types, `ops` and the rows of lists (docs/architecture.md).
 */
export interface EngineKind {
  /** The name in settings, commands and folders: `duckdb`. */
  readonly name: string;
  /** The name for people: `DuckDB`. */
  readonly title: string;
  /** The schema of the `warehouse` setting, with the key `engine`; null if the setting is a path. */
  readonly setting: z.ZodType | null;
  /** The default file of `move`: the warehouse itself, or the future setting. */
  readonly target: string;
  /**
   * Translates portable SQL for the engine, whose schemas have a prefix. Has no access to secrets. Null if the engine
   * accepts DuckDB's SQL.
   */
  readonly dialect: ((schemaPrefix: string) => Promise<Dialect>) | null;
  /**
   * @param setting the value that `setting` accepted
   * @param projectDir the start of a relative path
   */
  address(setting: unknown, projectDir: string): EngineAddress;
  /** Describes a warehouse: its name for people, its names for OpenLineage, and what may be removed after a move. */
  describe(place: EnginePlace): EngineWords;
  /**
   * Reads the engine's data, with its libraries. Null if the catalog contains the rows of all units and models, so that
   * its copy is the whole publication.
   */
  readonly remote: ((address: EngineAddress) => Promise<RemoteRows>) | null;
}

export interface EnginePlace {
  /** The published file: the warehouse, or its catalog. */
  readonly warehouse: string;
  readonly engine: EngineAddress;
}

interface EngineWords {
  readonly shown: string;
  /**
   * The OpenLineage names of its tables: the namespace, and the prefix of schema and table, as in dbt's integration.
   */
  readonly namespace: string;
  readonly prefix: string;
  readonly removable: string;
}

/** A warehouse in an engine. Each method may throw the engine's or its store's error as a CrawlhouseError. */
export interface Engine {
  /** Opens the warehouse for its one writer, and downloads the newest catalog to `published`. */
  openWriter(place: WriterPlace, logger: Logger, signal?: AbortSignal): Promise<EngineWriter>;
  /** Reads units of a published warehouse, for a load in another engine. */
  openUnits(place: SourcePlace): Promise<UnitReader>;
  /** Opens queries: portable SELECTs on the published warehouse as readers see it. */
  openQueries(catalog: Connection): Promise<PublishedQueries>;
  /** Returns the checks of `doctor`. Removes whatever it creates. */
  examine(signal: AbortSignal): Promise<Check[]>;
  /** Writes rows for a run on another machine, which registers them; null if only the run can write. */
  readonly openFiles: ((connection: Connection, temporary: string) => Promise<RowFiles>) | null;
}

export interface WriterPlace {
  /** DuckDB. The working copy is attached there before `begin`. */
  readonly connection: Connection;
  readonly stateDir: string;
  readonly published: string;
  readonly working: string;
}

export interface EngineWriter extends AsyncDisposable {
  /** Makes this process the only writer, after the catalog is attached. */
  begin(signal?: AbortSignal): Promise<WriterParts>;
}

export interface WriterParts {
  readonly rows: RowStore;
  readonly models: ModelEngine;
  readonly mirror: MirrorSource;
}

/** An attached published warehouse, or its catalog. */
export interface SourcePlace {
  readonly connection: Connection;
  /** The name under which it is attached. */
  readonly source: string;
  readonly temporary: string;
}

export interface UnitReader extends AsyncDisposable {
  /** Returns DuckDB's SQL of the rows of a unit, valid until disposal. */
  rowsOf(
    relation: string,
    unit: string,
    signal: AbortSignal,
  ): Promise<Pick<UnitRows, 'values' | 'from'> & AsyncDisposable>;
}

export interface PublishedQueries extends AsyncDisposable {
  readonly queries: ModelQueries;
}

/** The work of an engine whose rows are not in the catalog. */
export interface RemoteRows {
  /** Runs users' statements, which `EngineKind.dialect` has translated. */
  openStatements(): Promise<Statements>;
  /**
   * Downloads the catalog of the newest publication, for a process that reads. If the download fails, the process reads
   * the current catalog and prints a warning.
   *
   * @throws CrawlhouseError that explains why the catalog is unavailable, if this machine has none
   */
  follow(place: FollowedPlace, logger: Logger, following: Following): Promise<KnownPublication>;
  /**
   * Downloads the newest catalog. An earlier publication is an error.
   *
   * @throws CrawlhouseError that explains why the newest catalog is unavailable
   */
  bringNewest(place: FollowedPlace, logger: Logger, signal: AbortSignal): Promise<void>;
}

/**
 * A value in a query result. Times are ISO 8601 to the microsecond, in UTC with a `Z`. A DECIMAL with a fraction is
 * text.
 */
export type EngineValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly EngineValue[]
  | { readonly [key: string]: EngineValue };

export interface Statements extends AsyncDisposable {
  /**
   * Yields the rows of a statement as they arrive. Leaving the loop, or an abort, ends the statement.
   *
   * @param seconds its time limit
   * @throws CrawlhouseError with an `EngineFailure` as cause if the engine refuses the statement
   */
  rows(sql: string, seconds: number, signal: AbortSignal): AsyncIterable<readonly (readonly EngineValue[])[]>;
}

/** The locations of the catalog and of the newest catalog to download, all from the settings. */
export interface FollowedPlace extends EnginePlace {
  readonly state_dir: string;
}

/** A published file and its publication. */
export interface KnownPublication {
  readonly stamp: string;
  readonly id: string | null;
}

export interface Following {
  readonly signal?: AbortSignal | undefined;
  /** The last result in the same process. */
  readonly known?: KnownPublication | undefined;
  /** Aborts a query that takes too long if this machine has a catalog; by default after 15 seconds. */
  readonly patience?: () => AbortSignal;
}

/** Rows of a unit for a file that a run registers. */
interface FileRows {
  /** The table: `raw.crawl_pages`. */
  readonly relation: string;
  /** Part of the file's path, for people. */
  readonly name: string;
  /** DuckDB's SQL: the unit, the values by column, and the content of FROM. */
  readonly unit: string;
  readonly values: ReadonlyMap<string, string>;
  readonly from: string;
  /** The types of the columns, and of `RowStore.storedColumns`. */
  readonly types: ReadonlyMap<string, string>;
  readonly stored: ReadonlyMap<string, string>;
}

export interface RowFiles extends AsyncDisposable {
  /** Writes one file that no reader sees yet. Returns null for no rows. */
  put(rows: FileRows, signal: AbortSignal): Promise<Omit<PreparedLoad, 'loaded_at'> | null>;
}
