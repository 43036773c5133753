/** A piece of a download on disk, whole lines only: what extract hands to stage while the rest still comes. */
export interface RawPart {
  readonly path: string;
  readonly format: 'csv' | 'json' | 'parquet';
  /** Name of the raw file for people: all parts of one download are one file. */
  readonly file: string;
  /** Line (from 1) of the part's first record in that file. */
  readonly firstLine: number;
  /** Records, counted from the bytes: independent of what parses them later. */
  readonly rows: number;
  /** Names in the header line, for CSV. */
  readonly header: readonly string[] | null;
  /** Between two cells, for CSV. */
  readonly delimiter: string | null;
}

/** The facts about a download, known after its last byte was checked. */
export interface Download {
  /** Bytes on the wire. */
  readonly bytes: number;
  /** SHA-256 of the content after decompression. */
  readonly sha256: string;
  readonly rows: number;
  readonly header: readonly string[] | null;
}
