import type { Oql } from '../../../client/oql/oql.ts';
import type { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Pipeline } from './pipeline.ts';
import type { Unit } from './unit.ts';

/** The crawls and windows that a person or a schedule requests. */
export interface Selection {
  /** Ids or names of projects, or `all`. */
  readonly projects: 'all' | readonly string[];
  /** Ids of crawls; null for all. */
  readonly crawls: readonly string[] | null;
  /**
   * Compared with a crawl's end, or the first day of a window, in UTC milliseconds: `from` inclusive, `to` exclusive.
   */
  readonly from: number;
  readonly to: number;
}

/** A unit that a run must load, or the reason why it cannot be loaded. */
export interface Task {
  readonly unit: Unit;
  /** The name of the unit (`unitName`), so that no stage has to compute it again. */
  readonly name: string;
  readonly pipeline: Pipeline;
  /** Why nothing can be loaded; null when it can. */
  readonly skip: string | null;
  /** The error of discovery for its source or its windows; null if there was none. */
  readonly failure: CrawlhouseError | null;
  /** The pipeline's filter combined with the unit's window. */
  readonly oql: Oql | null;
  /**
   * Whether the unit is requested again although it is loaded, as for lists and for windows whose data may still
   * change.
   */
  readonly refresh: boolean;
  /** The command that restores an archived crawl before its data is requested, or null. */
  readonly restore: 'unarchive' | 'unarchive-fast' | null;
  /** When the crawl or comparison ended, UTC milliseconds; null for lists and windows. */
  readonly ended_at: number | null;
}

export interface Plan {
  readonly tasks: readonly Task[];
  /** Ids of the crawls and comparisons that have not ended, whatever the selection. */
  readonly open: readonly string[];
  /** A sentence for each crawl that was named by a day on which none ended. */
  readonly notes: readonly string[];
}
