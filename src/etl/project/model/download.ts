import type { Oql } from '../../../client/oql/oql.ts';
import type { Field } from './field.ts';
import type { ListUpdate } from './manifest.ts';

/**
 * The requested fields that a file must contain (docs/decisions/staging.md). `every`: the request named them. `some`:
 * the export accepts no choice of fields. `unknown`: no fields were requested.
 */
export type Shown = 'every' | 'some' | 'unknown';

/** A download of a unit's rows: what the service reports about them, and a generator of raw parts. */
export interface Download {
  /** The service's count; null if the service reports none. */
  readonly reported: number | null;
  readonly fields: readonly Field[];
  /** Which requested fields a file contains; absent if unknown. */
  readonly shown?: Shown;
  /** The OQL filter that `reported` was counted with. */
  readonly filter: Oql | null;
  readonly parts: AsyncGenerator<Part, DownloadFacts>;
  /**
   * Fields whose values no two rows may share, for rows that are received in pages. Empty if nothing is known or there
   * are no pages.
   */
  readonly key?: readonly string[];
  /** Where a person can find the files of the rows. */
  readonly files?: string;
  /**
   * Seconds until the service had made the data export; absent for other routes, and where only part of it is known.
   */
  readonly waited?: number;
  /** Set if the rows are only the changes of a list. */
  readonly update?: ListUpdate;
}

/** A piece of a download on disk, with whole lines only. `stage` reads it while the rest still downloads. */
export interface Part {
  readonly path: string;
  readonly format: 'csv' | 'json' | 'parquet';
  /** Name of the raw file for people. All parts of one download belong to one file. */
  readonly file: string;
  /** Line (from 1) of the part's first record in that file. */
  readonly firstLine: number;
  /** Records, counted from the bytes and thus independent of the later parser. */
  readonly rows: number;
  /** Names in the header line of a CSV file. */
  readonly header: readonly string[] | null;
  /** Separates two cells of a CSV file. */
  readonly delimiter: string | null;
}

/** The facts about a download, known once its last byte is checked. */
export interface DownloadFacts {
  /** Transferred bytes. */
  readonly bytes: number;
  /** SHA-256 of the content after decompression. */
  readonly sha256: string;
  readonly rows: number;
  readonly header: readonly string[] | null;
}
