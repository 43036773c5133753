import { AGGREGATES_ROUTE } from './aggregates/aggregates-route.ts';
import { EXPORT_ROUTE } from './export/export-route.ts';
import { LIST_ROUTE } from './list/list-route.ts';
import type { RouteKind, RouteName } from './route.ts';
import { SEARCH_ROUTE } from './search/search-route.ts';
import { STREAM_ROUTE } from './stream/stream-route.ts';

/** Every route, preferred first. Each further route is a folder and a line here. */
export const ROUTES: Readonly<Record<RouteName, RouteKind>> = {
  export: EXPORT_ROUTE,
  stream: STREAM_ROUTE,
  search: SEARCH_ROUTE,
  aggs: AGGREGATES_ROUTE,
  list: LIST_ROUTE,
};
export const ROUTE_NAMES = Object.keys(ROUTES) as readonly RouteName[];
