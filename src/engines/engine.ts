import type { z } from 'zod';
import type { Check } from '../core/duckdb/check.ts';
import type { Connection } from '../core/duckdb/duckdb.ts';
import type { Logger } from '../core/logs/logger.ts';
import type { PreparedLoad } from '../project/model/prepared-load.ts';
import type { EngineAddress } from '../project/settings/settings.ts';
import type { MirrorSource } from './mirror-sql.ts';
import type { ModelEngine, ModelQueries } from './model-engine.ts';
import type { RowStore, UnitRows } from './row-store.ts';

/** Portable SQL (docs/models.md, "Portable SQL") in the words of an engine. */
export interface Dialect {
  /** Without comments and `;`. Lines stay where they are, so that errors of the engine name them. */
  translate(sql: string): string;
  /** What readers ask for a relation of the catalogue: `raw.crawl_pages`. */
  reader(relation: string): string;
  /** A condition: whether one of these columns has a text in it, in any case of its letters. */
  contains(columns: readonly DialectColumn[], text: string): string;
  /** What cuts rows out of an ordered answer. */
  slice(offset: number, limit: number): string;
}

interface DialectColumn {
  /** SQL of it. */
  readonly name: string;
  /** DuckDB's. */
  readonly type: string;
}

/**
 * What is known of an engine before it is used; it brings no library. Whatever the engine, the catalogue is a file of
 * DuckDB: columns, types, `ops` and the rows of lists are there (docs/architecture.md).
 */
export interface EngineKind {
  /** As settings, commands and folders have it: `duckdb`. */
  readonly name: string;
  /** As people read it: `DuckDB`. */
  readonly title: string;
  /** The schema of the setting `warehouse`, with the key `engine`; null: the setting is a path. */
  readonly setting: z.ZodType | null;
  /** The file that `move` takes where none is named: the warehouse itself, or the setting as it will be. */
  readonly target: string;
  /**
   * Writes portable SQL for the engine, whose schemas have a prefix. It runs where no secret is. Null: the engine takes
   * DuckDB's.
   */
  readonly dialect: ((schemaPrefix: string) => Promise<Dialect>) | null;
  /**
   * @param setting what `setting` has accepted
   * @param projectDir a relative path starts there
   */
  address(setting: unknown, projectDir: string): EngineAddress;
  /** A warehouse in words: for people, for OpenLineage, and what may be removed once it was moved. */
  describe(place: EnginePlace): EngineWords;
  /**
   * Reads what the engine has, with its libraries. Null: the catalogue has the rows of all units and models, so that its
   * copy is the whole publication.
   */
  readonly remote: ((address: EngineAddress) => Promise<RemoteRows>) | null;
}

export interface EnginePlace {
  /** The published file: the warehouse, or its catalogue. */
  readonly warehouse: string;
  readonly engine: EngineAddress;
}

interface EngineWords {
  readonly shown: string;
  /** Of its tables in OpenLineage: the namespace, and what comes before schema and table, as dbt's integration has them. */
  readonly namespace: string;
  readonly prefix: string;
  readonly removable: string;
}

/** A warehouse in an engine. Each method may throw what the engine or its store says: a CrawlhouseError. */
export interface Engine {
  /** Opens the warehouse for its one writer, and brings the newest catalogue to `published`. */
  openWriter(place: WriterPlace, logger: Logger, signal?: AbortSignal): Promise<EngineWriter>;
  /** Reads units of a published warehouse, for a load in another engine. */
  openUnits(place: SourcePlace): Promise<UnitReader>;
  /** Answers portable SELECTs as readers see the published warehouse. */
  openQueries(catalogue: Connection): Promise<PublishedQueries>;
  /** What `doctor` says of it. What it makes there, it removes. */
  examine(signal: AbortSignal): Promise<Check[]>;
  /** Writes rows for a run on another machine, which registers them; null where only the run can write. */
  readonly openFiles: ((connection: Connection, temporary: string) => Promise<RowFiles>) | null;
}

export interface WriterPlace {
  /** DuckDB; the working copy is attached there before `begin`. */
  readonly connection: Connection;
  readonly stateDir: string;
  readonly published: string;
  readonly working: string;
}

export interface EngineWriter extends AsyncDisposable {
  /** Becomes the one writer, once the catalogue is attached. */
  begin(signal?: AbortSignal): Promise<WriterParts>;
}

export interface WriterParts {
  readonly rows: RowStore;
  readonly models: ModelEngine;
  readonly mirror: MirrorSource;
}

/** A published warehouse, or its catalogue, that is attached. */
export interface SourcePlace {
  readonly connection: Connection;
  /** The name under which it is attached. */
  readonly source: string;
  readonly temporary: string;
}

export interface UnitReader extends AsyncDisposable {
  /** DuckDB's SQL of the rows of a unit, which holds until it is disposed of. */
  rowsOf(
    relation: string,
    unit: string,
    signal: AbortSignal,
  ): Promise<Pick<UnitRows, 'values' | 'from'> & AsyncDisposable>;
}

export interface PublishedQueries extends AsyncDisposable {
  readonly queries: ModelQueries;
}

/** What an engine does whose rows are not in the catalogue. */
export interface RemoteRows {
  /** Runs statements of people, which `EngineKind.dialect` has written. */
  openStatements(): Promise<Statements>;
  /**
   * Brings the catalogue of the newest publication, for a process that reads. Where that fails, the one that is there is
   * read, with a warning.
   *
   * @throws CrawlhouseError why it can't be had, where this machine has none
   */
  follow(place: FollowedPlace, logger: Logger, following: Following): Promise<KnownPublication>;
  /**
   * Brings the newest catalogue; an earlier publication is an error.
   *
   * @throws CrawlhouseError why the newest catalogue can't be had
   */
  bringNewest(place: FollowedPlace, logger: Logger, signal: AbortSignal): Promise<void>;
}

/** A value of an answer. Times are ISO 8601 to the microsecond, in UTC with a `Z`; a DECIMAL with a fraction is text. */
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
   * The rows of a statement, as they come. Leaving the loop, or an abort, ends the statement.
   *
   * @param seconds the time that it has
   * @throws CrawlhouseError with an `EngineFailure` as cause where the engine refuses the statement
   */
  rows(sql: string, seconds: number, signal: AbortSignal): AsyncIterable<readonly (readonly EngineValue[])[]>;
}

/** Where the catalogue is, and where the newest one is to be had; the settings have all of it. */
export interface FollowedPlace extends EnginePlace {
  readonly state_dir: string;
}

/** A published file as it was found, and its publication. */
export interface KnownPublication {
  readonly stamp: string;
  readonly id: string | null;
}

export interface Following {
  readonly signal?: AbortSignal | undefined;
  /** What the same process has found before. */
  readonly known?: KnownPublication | undefined;
  /** Aborts a question that takes too long, where this machine has a catalogue; default: after 15 seconds. */
  readonly patience?: () => AbortSignal;
}

/** Rows of a unit for a file that a run registers. */
interface FileRows {
  /** The table: `raw.crawl_pages`. */
  readonly relation: string;
  /** In the path of the file, for people. */
  readonly name: string;
  /** DuckDB's SQL of the unit, of the values by column, and what stands after FROM. */
  readonly unit: string;
  readonly values: ReadonlyMap<string, string>;
  readonly from: string;
  /** The types of the columns, and of those that `RowStore.storedColumns` has. */
  readonly types: ReadonlyMap<string, string>;
  readonly stored: ReadonlyMap<string, string>;
}

export interface RowFiles extends AsyncDisposable {
  /** Writes one file, for nobody yet. Null for no rows. */
  put(rows: FileRows, signal: AbortSignal): Promise<Omit<PreparedLoad, 'loaded_at'> | null>;
}
