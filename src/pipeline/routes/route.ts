import type { Inventory } from '../../project/model/inventory.ts';
import type { Format as AnyFormat, Route as AnyRoute, Pipeline } from '../../project/model/pipeline.ts';
import type { PlannedUnit } from '../../project/model/planned-unit.ts';
import type { RoutePace } from '../../project/model/route-pace.ts';
import type { Source } from '../../project/model/source.ts';
import type { LimitSettings } from '../../project/settings/limits.ts';
import type { ServiceClient } from '../../service/api/client/client.ts';
import { CRAWL_DATA_TYPES, LOCAL_DATA_TYPES } from '../../service/api/resources/fields.ts';
import type { ExportRecords } from '../../state/ledger/export-records.ts';
import type { StoreName, StoreSettings } from '../../stores/registry.ts';
import type { RankingWindows } from './aggregates/ranking-windows.ts';
import type { DescribedRows } from './describe-rows.ts';

/**
 * The names of routes in pipeline files, plans and reports. A list is the only route for its rows, so nobody chooses
 * it.
 */
export type RouteName = Exclude<AnyRoute, 'auto'> | 'list';
export type RouteFormat = Exclude<AnyFormat, 'auto'>;

export interface ChosenRoute {
  readonly route: RouteName;
  readonly format: RouteFormat;
  /** Of a data export. */
  readonly store: StoreName | null;
  readonly reason: string;
}

export interface RouteOption extends ChosenRoute {
  /** A format with fewer bytes: the unit's fields decide between it and `format` (`needs-json.ts`). */
  readonly cheaper?: RouteFormat;
  /** Past loads of the unit's project and dataset by this route, where they are weighed (`weigh-export.ts`). */
  readonly past?: readonly RoutePace[];
  /** What they say that the unit will take. */
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
  /** Units that are already loaded are requested again. */
  readonly reload: boolean;
  readonly progress: (text: string) => void;
  /** Days of ranking performance that are requested together. */
  readonly rankings: RankingWindows;
}

export interface RoutedUnit {
  readonly planned: PlannedUnit;
  readonly chosen: ChosenRoute;
  /** The service's description of the rows; null for lists and aggregates, which it does not describe. */
  readonly rows: DescribedRows | null;
  readonly inventory: Inventory;
  /** Where the raw parts go; empty. */
  readonly folder: string;
  /** Takes the rows so far, from a route whose parts take long. */
  readonly onRows?: ((rows: number) => void) | undefined;
}

/** One route. A folder holds one; `registry.ts` names them all. */
export interface RouteKind {
  /** Why `auto` takes it; the plan and the report say so. */
  readonly reason: string;
  /** The only way for its sources: an override on the command line means other units. */
  readonly isOnly?: true;
  /** The formats in which it brings a source, the preferred one first; empty if it can't. */
  formats(source: Pipeline['source']): readonly RouteFormat[];
  /** One of them that has fewer bytes, but does not carry the values of every field. `auto` takes it where it does. */
  readonly cheaper?: RouteFormat;
  /** Whether `auto` takes it for this number of rows, if nothing was weighed; null if the service gives no count. */
  suits(rows: number | null): boolean;
  /**
   * The fewest requests that a unit costs the service, fields and count included. Retries, polls of a data export, and
   * lists of unknown length add more.
   */
  requests(source: Pipeline['source'], rows: number | null): number;
  /**
   * Requests the rows; resolves when they begin to arrive.
   *
   * @throws CrawlhouseError of a code in `open-unit.ts` where another route may still bring them
   */
  open(context: RouteContext, unit: RoutedUnit): Promise<Source>;
}

export function describedRows({ planned, rows }: RoutedUnit): DescribedRows {
  if (rows === null) throw new Error(`${planned.unit.dataset}: the rows were not described`);
  return rows;
}

/** Whether the rows of a source can be searched and exported (api-spec.md §4): all but lists and aggregates. */
export function isStreamed({ kind, data_type }: Pipeline['source']): boolean {
  if (kind === 'crawl') return [...CRAWL_DATA_TYPES, ...LOCAL_DATA_TYPES].some((one) => one === data_type);
  if (kind === 'crawl_over_crawl') return data_type === 'pages';
  return kind === 'log_monitoring' && (data_type === 'pages' || data_type === 'events');
}

/** Requests for the fields and the count of a unit: crawls alone have fields of their own. */
export function describingRequests({ kind }: Pipeline['source']): number {
  return kind === 'crawl' ? 2 : 1;
}
