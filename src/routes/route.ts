import type { ServiceClient } from '../api/client.ts';
import type { Settings } from '../config/settings.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Inventory } from '../model/inventory.ts';
import type { Format as AnyFormat, Route as AnyRoute, Pipeline } from '../model/pipeline.ts';
import type { PlannedUnit } from '../model/planned-unit.ts';
import type { Source } from '../model/source.ts';
import type { ExportStore } from '../stores/registry.ts';
import type { RankingWindows } from './aggregates/ranking-windows.ts';
import type { Rows } from './describe-rows.ts';

/** As pipeline files, plans and reports name the routes; a list is the only way for its rows, so nobody asks for it. */
export type RouteName = Exclude<AnyRoute, 'auto'> | 'list';
export type RouteFormat = Exclude<AnyFormat, 'auto'>;

/** A way that a unit's rows can come, and why this one. */
export interface ChosenRoute {
  readonly route: RouteName;
  readonly format: RouteFormat;
  /** Of a data export. */
  readonly store: ExportStore | null;
  readonly reason: string;
}

/** What the routes need of a run. */
export interface RouteContext {
  readonly client: ServiceClient;
  readonly settings: Settings;
  readonly ledger: Ledger;
  readonly signal: AbortSignal;
  readonly runId: string;
  /** Units that are loaded already are asked for anew. */
  readonly reload: boolean;
  readonly progress: (text: string) => void;
  /** Days of ranking performance that were asked for together. */
  readonly rankings: RankingWindows;
}

/** A unit on its way by a route. */
export interface RoutedUnit {
  readonly planned: PlannedUnit;
  readonly chosen: ChosenRoute;
  /** What the service says of the rows; null for lists and aggregates, which it does not describe. */
  readonly rows: Rows | null;
  readonly inventory: Inventory;
  /** Where the raw parts go; empty. */
  readonly folder: string;
}

/** One way that rows come. A folder holds one; `registry.ts` names them all. */
export interface Route {
  /** Why `auto` takes it; the plan and the report say so. */
  readonly reason: string;
  /** The only way for its sources: an override on the command line means other units. */
  readonly isOnly?: true;
  /** The formats in which it brings a source, the preferred one first; empty if it can't. */
  formats(source: Pipeline['source']): readonly RouteFormat[];
  /** Whether `auto` takes it for so many rows; null where the service gives no count. */
  suits(rows: number | null): boolean;
  /**
   * The fewest requests that a unit costs the service, fields and count included. More come with retries, with each look
   * at a data export under way, and with lists and pieces whose length shows only then.
   */
  requests(source: Pipeline['source'], rows: number | null): number;
  /**
   * Asks for the rows; resolves when they begin to come.
   *
   * @throws CrawlhouseError of a code in `open-unit.ts` where another route may still bring them
   */
  open(context: RouteContext, unit: RoutedUnit): Promise<Source>;
}

/** The rows of a unit that the service describes. */
export function describedRows({ planned, rows }: RoutedUnit): Rows {
  if (rows === null) throw new Error(`${planned.unit.dataset}: the rows were not described`);
  return rows;
}
