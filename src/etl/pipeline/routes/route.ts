import type { ServiceClient } from '../../../client/http/service-client.ts';
import { CRAWL_DATA_TYPES, LOCAL_DATA_TYPES } from '../../../client/resources/fields.ts';
import type { StoreName, StoreSettings } from '../../../core/stores/registry.ts';
import type { Download } from '../../project/model/download.ts';
import type { Inventory } from '../../project/model/inventory.ts';
import type { Format as AnyFormat, Route as AnyRoute, Pipeline } from '../../project/model/pipeline.ts';
import type { RoutePace } from '../../project/model/route-pace.ts';
import type { Task } from '../../project/model/task.ts';
import type { LimitSettings } from '../../project/settings/limits.ts';
import type { ExportRecords } from '../../state/ledger/export-records.ts';
import type { RankingWindows } from './aggregates/ranking-windows.ts';
import type { DescribedRows } from './describe-rows.ts';

/**
 * The names of routes in pipeline files, plans and reports. A list is the only route for its rows, so it cannot be
 * chosen.
 */
export type RouteName = Exclude<AnyRoute, 'auto'> | 'list';
export type RouteFormat = Exclude<AnyFormat, 'auto'>;

export interface ChosenRoute {
  readonly route: RouteName;
  readonly format: RouteFormat;
  /** The store of a data export. */
  readonly store: StoreName | null;
  readonly reason: string;
}

export interface RouteOption extends ChosenRoute {
  /** A format with fewer bytes. The unit's fields decide between it and `format` (`choose-format.ts`). */
  readonly cheaper?: RouteFormat;
  /** Past loads of the unit's project and dataset by this route, where they are weighed (`weigh-export.ts`). */
  readonly past?: readonly RoutePace[];
  /** The estimated seconds of the unit by these loads. */
  readonly seconds?: number;
}

export interface RouteSettings extends StoreSettings, LimitSettings {
  readonly base_url?: string | undefined;
  readonly compression: 'auto' | 'gzip' | 'none';
}

export interface RouteContext {
  readonly client: ServiceClient;
  readonly settings: RouteSettings;
  readonly ledger: ExportRecords;
  readonly signal: AbortSignal;
  readonly runId: string;
  /** Whether loaded units are requested again. */
  readonly reload: boolean;
  readonly progress: (text: string) => void;
  /** The result of discovery; for a worker, only the unit's crawl. */
  readonly inventory: Inventory;
  /** Days of ranking performance that are requested together. */
  readonly rankings: RankingWindows;
}

/** A task by one of its routes. */
export interface RouteRequest {
  readonly task: Task;
  readonly chosen: ChosenRoute;
  /** The service's description of the rows; null for lists and aggregates, which it does not describe. */
  readonly rows: DescribedRows | null;
  /** The empty folder for the raw parts. */
  readonly folder: string;
  /** Called with the rows so far, for routes whose parts take long. */
  readonly onRows?: ((rows: number) => void) | undefined;
}

/** One route. Each has a folder; `registry.ts` lists them. */
export interface RouteKind {
  /** Why `auto` chooses it, for the plan and the report. */
  readonly reason: string;
  /** Whether it is the only route for its sources. An override on the command line does not apply to them. */
  readonly isOnly?: true;
  /** Returns the formats for a source, preferred first; empty if the route is impossible. */
  formats(source: Pipeline['source']): readonly RouteFormat[];
  /**
   * A smaller format that cannot represent the values of every field. `auto` uses it if it can represent all of a
   * unit's fields.
   */
  readonly cheaper?: RouteFormat;
  /**
   * Returns whether `auto` chooses the route for this number of rows, unless routes were compared. The number is null
   * if the service reports no count.
   */
  suits(rows: number | null): boolean;
  /**
   * Returns the fewest requests of a unit, including fields and count. Retries, polls of a data export, and lists of
   * unknown length add more.
   */
  requests(source: Pipeline['source'], rows: number | null): number;
  /**
   * Requests the rows; resolves when they begin to arrive.
   *
   * @throws CrawlhouseError with a code in `open-unit.ts` if another route may still work
   */
  open(context: RouteContext, request: RouteRequest): Promise<Download>;
}

export function describedRows({ task, rows }: RouteRequest): DescribedRows {
  if (rows === null) throw new Error(`${task.unit.dataset}: the rows were not described`);
  return rows;
}

/** Returns whether the rows of a source can be searched and exported (api-spec.md §4): all but lists and aggregates. */
export function isStreamed({ kind, data_type }: Pipeline['source']): boolean {
  if (kind === 'crawl') return [...CRAWL_DATA_TYPES, ...LOCAL_DATA_TYPES].some((type) => type === data_type);
  if (kind === 'crawl_over_crawl') return data_type === 'pages';
  return kind === 'log_monitoring' && (data_type === 'pages' || data_type === 'events');
}

/** Returns the requests for the fields and the count of a unit. Only crawls list their own fields. */
export function describingRequests({ kind }: Pipeline['source']): number {
  return kind === 'crawl' ? 2 : 1;
}
