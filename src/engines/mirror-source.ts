/** A partition of a mirrored table: what tells its rows from those of the others, as Hive writes it. */
export interface MirrorPartition {
  /** With its schema: `raw.crawl_pages`. */
  readonly table: string;
  /** Columns and values; a NULL is a value too. Empty: the table is one partition. */
  readonly key: readonly (readonly [column: string, value: string | null])[];
  readonly rows: number;
  /** Of its rows, whatever their order. */
  readonly fingerprint: string;
}

/** A table or view that is mirrored. */
export interface MirroredTable {
  /** With its schema: `raw.crawl_pages`. */
  readonly name: string;
  /** With DuckDB's types. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** The columns that tell its partitions apart; none: it is one partition. */
  readonly cut: readonly string[];
}

/** The rows of mirrored tables, in the engine that has them. */
export interface MirrorSource {
  /** The partitions of a table, without empty ones. */
  partitions(table: MirroredTable, signal: AbortSignal): Promise<MirrorPartition[]>;
  /** Writes a partition as Parquet, without the columns of its key. Returns the number of its rows. */
  write(table: MirroredTable, partition: MirrorPartition, file: string, signal: AbortSignal): Promise<bigint>;
}
