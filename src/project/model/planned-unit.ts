import type { CrawlhouseError } from '../../core/errors/errors.ts';
import type { Oql } from '../../service/api/oql/oql.ts';
import type { Pipeline } from './pipeline.ts';
import type { Unit } from './unit.ts';

/** The crawls and windows that a person or a schedule asks for. */
export interface Selection {
  /** Ids or names of projects, or `all`. */
  readonly projects: 'all' | readonly string[];
  /** Ids of crawls; null: every one. */
  readonly crawls: readonly string[] | null;
  /** Compared with a crawl's end, or the first day of a window, in UTC milliseconds: from inclusive, to exclusive. */
  readonly from: number;
  readonly to: number;
}

/** A unit, with the reason if it can't be loaded. */
export interface PlannedUnit {
  readonly unit: Unit;
  /** Of the unit (`unitName`), so that no stage has to make it again. */
  readonly name: string;
  readonly pipeline: Pipeline;
  /** Why nothing can be loaded; null when it can. */
  readonly skip: string | null;
  /** The error that kept discovery from its source or its windows; null if none did. */
  readonly failure: CrawlhouseError | null;
  /** The pipeline's filter and the unit's window. */
  readonly oql: Oql | null;
  /** Asked for again although the warehouse holds it: lists, and windows whose data may still come in. */
  readonly refresh: boolean;
  /** The command that restores an archived crawl before its data is requested, or null. */
  readonly restore: 'unarchive' | 'unarchive-fast' | null;
  /** When the crawl or comparison ended, UTC milliseconds; null for lists and windows. */
  readonly ended_at: number | null;
}

export interface Plan {
  readonly units: readonly PlannedUnit[];
  /** Ids of the crawls and comparisons that have not ended, whatever the selection. */
  readonly open: readonly string[];
  /** A sentence for each crawl that a person named by a day on which none ended. */
  readonly notes: readonly string[];
}
