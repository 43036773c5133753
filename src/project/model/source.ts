import type { Oql } from '../../service/api/oql/oql.ts';
import type { Field } from './field.ts';
import type { ListUpdate } from './manifest.ts';

/**
 * The requested fields that a file must have (docs/decisions/staging.md). `every`: the request named them. `some`:
 * the export takes no choice of fields. `unknown`: no fields were requested.
 */
export type Shown = 'every' | 'some' | 'unknown';

/** A unit's rows on their way: what the service says of them, and a generator of raw parts. */
export interface Source {
  /** The service's own count; null where it gives none. */
  readonly reported: number | null;
  readonly fields: readonly Field[];
  /** Which of them a file shows; absent: unknown. */
  readonly shown?: Shown;
  /** OQL under which `reported` was counted. */
  readonly filter: Oql | null;
  readonly parts: AsyncGenerator<RawPart, Download>;
  /** Fields that no two rows may share, of rows that come page by page; none where nothing is known, or no page is. */
  readonly key?: readonly string[];
  /** The files that the rows come in, where a person can look at them. */
  readonly files?: string;
  /** Seconds until the service had made the data export; absent for other routes, and where only a part is known. */
  readonly waited?: number;
  /** The rows are only what is new of a list. */
  readonly update?: ListUpdate;
}

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
