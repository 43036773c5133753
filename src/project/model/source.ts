import type { Oql } from '../../service/api/oql/oql.ts';
import type { Field } from './field.ts';
import type { ListUpdate } from './manifest.ts';
import type { Download, RawPart } from './raw-part.ts';

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
  /** Seconds until the service had made the data export; absent for other routes, and where only a part is known. */
  readonly waited?: number;
  /** The rows are only what is new of a list. */
  readonly update?: ListUpdate;
}
