import type { CrawlhouseError } from '../../core/errors/errors.ts';
import type { BrokenItem, ReadList } from '../../service/api/client/read-list.ts';
import type { CrawlOverCrawl } from '../../service/api/resources/crawl-over-crawls.ts';
import type { Crawl } from '../../service/api/resources/crawls.ts';
import type { DataExport } from '../../service/api/resources/data-exports.ts';
import type { WeekDefinition } from '../../service/api/resources/log-monitoring.ts';
import type { Project } from '../../service/api/resources/projects.ts';
import type { Workspace } from '../../service/api/resources/workspaces.ts';

/** The inventory: the new records of the long lists, and all records of the others. */
export interface Inventory {
  readonly workspaces: readonly WorkspaceView[];
  /** Of the projects with dated sources, by project and kind of source. */
  readonly dates: ProjectDates;
  /** Workspaces whose lists could not be read, by id. */
  readonly unread: ReadonlyMap<string, CrawlhouseError>;
  /** Everything that could not be read or is outside its contract; it harms nothing else. */
  readonly failures: readonly CrawlhouseError[];
}

export interface WorkspaceView {
  readonly id: string;
  readonly name: string;
  readonly record: Workspace;
  readonly projects: ReadList<Project>;
  readonly crawls: ListReading<Crawl>;
  /** Null where no pipeline asks for them, and where they could not be read. */
  readonly crawlOverCrawls: ListReading<CrawlOverCrawl> | null;
  readonly dataExports: ListReading<DataExport> | null;
  /** Why a list can't be brought into `raw` as a whole: it could not be read, or some of its records are broken. */
  readonly faulty: ReadonlyMap<string, CrawlhouseError>;
}

export interface ListReading<T = unknown> {
  /** The service's own total. */
  readonly total: number;
  /** Everything that the list holds: what came in this run, and what was known before. */
  readonly items: readonly Listed[];
  readonly records: ReadonlyMap<string, T>;
  /** Those of them that are new or not as they were, or that `raw` lacks and a pipeline loads. */
  readonly changed: readonly Listed[];
  /** Ids that were known and are listed no more. */
  readonly gone: readonly string[];
  /** The list was read to its end: `records` are all of its items, save those that are broken. */
  readonly isSwept: boolean;
  /** Records that are outside their contract: what is known of them stays as it was. */
  readonly broken: readonly BrokenItem[];
}

/** The days that a dated source has, both inclusive, or why it has none for us. */
export type SourceDates =
  | { readonly from: string; readonly to: string; readonly weeks: WeekDefinition }
  | { readonly skip: string }
  /** They are unknown: a quota is used up, or the answer is broken. It is the project's own: it keeps none of the others back. */
  | { readonly failure: CrawlhouseError };

/** By project id, then by kind of source: `log_monitoring pages weeks`, `ranking_performance`. */
export type ProjectDates = ReadonlyMap<string, ReadonlyMap<string, SourceDates>>;

/** The lists of a workspace that are read incrementally, by name. */
export function listReadings({
  crawls,
  crawlOverCrawls,
  dataExports,
}: WorkspaceView): [ListName, ListReading][] {
  const readings = { crawls, crawl_over_crawls: crawlOverCrawls, data_exports: dataExports };
  return (Object.entries(readings) as [ListName, ListReading | null][]).flatMap(([name, found]) =>
    found ? [[name, found]] : [],
  );
}

/** Lists of a workspace that grow with the years and are read incrementally (docs/ledger.md). */
export type ListName = 'crawls' | 'crawl_over_crawls' | 'data_exports';

/** The stored facts about a record of such a list; times are UTC milliseconds. */
export interface Listed {
  readonly id: string;
  readonly project_id: string | null;
  /** The service's own, an open string. */
  readonly status: string;
  readonly end_reason: string | null;
  readonly link_status: string | null;
  /** A crawl by the local service has requests besides its pages; null for any other record. */
  readonly has_requests: boolean | null;
  readonly created_at: number | null;
  readonly ended_at: number | null;
  /** Hash of the record as it goes to `raw`; null where no pipeline loads the list. */
  readonly content: string | null;
}

export interface KnownItem extends Listed {
  /** `raw` does not have this yet. */
  readonly pending: boolean;
  /** The service lists it no more; kept until `raw` says so. */
  readonly gone: boolean;
}

export interface KnownList {
  readonly items: ReadonlyMap<string, KnownItem>;
  /** When the list was last read to its end, UTC milliseconds; null: never. */
  readonly swept_at: number | null;
}

export const UNKNOWN_LIST: KnownList = { items: new Map(), swept_at: null };
