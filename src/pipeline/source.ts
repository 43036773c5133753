import type { Oql } from '../api/oql.ts';
import type { Field } from '../model/field.ts';
import type { ListUpdate } from '../model/manifest.ts';
import type { Download, RawPart } from '../model/raw-part.ts';

/** A unit's rows on their way: what the service says of them, and a generator of raw parts. */
export interface Source {
  /** The service's own count; null where it gives none. */
  readonly reported: number | null;
  /** Fields that were asked for, with their types. */
  readonly catalogue: readonly Field[];
  /** OQL under which `reported` was counted. */
  readonly filter: Oql | null;
  readonly parts: AsyncGenerator<RawPart, Download>;
  /** The rows are only what is new of a list. */
  readonly update?: ListUpdate;
}
