import { CRAWL_DATA_TYPES } from '../api/fields.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { Format, Pipeline, Route } from '../model/pipeline.ts';

/** Where data exports go: Google Cloud Storage and S3 (design.md, "The way of the data"). */
export const STORES = ['store_a', 'store_b'] as const;
export type Store = (typeof STORES)[number];

/** What a command line asks for instead of the pipeline's own words. */
export interface RouteWish {
  readonly route: Route | null;
  readonly format: Format | null;
  readonly store: Store | null;
}

/** A way that a unit's rows can come, and why this one. */
export interface ChosenRoute {
  readonly route: 'stream' | 'export' | 'search' | 'aggs' | 'list';
  readonly format: 'csv' | 'json' | 'parquet';
  /** Of a data export. */
  readonly store: Store | null;
  readonly reason: string;
}

type RouteName = ChosenRoute['route'];
type Formats = readonly ChosenRoute['format'][];

const STREAMED = { stream: ['json', 'csv'], search: ['json'] } as const;

/** Routes with their formats, the preferred first, for a kind of source and its data type (docs/routes.md). */
export function possibleRoutes(source: Pipeline['source']): Readonly<Partial<Record<RouteName, Formats>>> {
  const { kind, data_type } = source;
  switch (kind) {
    case 'crawl':
      if (data_type === 'fields') return { list: ['json'] };
      if (data_type === 'pages' || data_type === 'links')
        return { export: ['parquet', 'json', 'csv'], ...STREAMED };
      return (CRAWL_DATA_TYPES as readonly string[]).includes(data_type) ? STREAMED : {};
    case 'crawl_over_crawl':
      return data_type === 'pages' ? STREAMED : {};
    case 'log_monitoring':
      return data_type === 'pages' || data_type === 'events' ? STREAMED : {};
    case 'ranking_performance':
      return { aggs: ['json'] };
    case 'resource':
      return { list: ['json'] };
  }
}

/** From so many rows on a data export is worth its waiting: it survives a cut, and comes as Parquet. */
const EXPORT_FROM_ROWS = 5_000_000;
/** A search gives no more (api-spec.md §8). */
const SEARCH_UP_TO_ROWS = 10_000;

/**
 * The routes that a pipeline's units may take, the preferred first. One that was asked for by name is the only one.
 *
 * @param stores those that the settings know
 * @throws CrawlhouseError `impossible_route` or `bad_pipeline`, before anything starts
 */
export function routeOptions(
  pipeline: Pipeline,
  wish: RouteWish,
  stores: readonly Store[],
): readonly ChosenRoute[] {
  const { dataset, source } = pipeline;
  const possible = possibleRoutes(source);
  const names = Object.keys(possible) as RouteName[];
  if (names.length === 0) {
    throw impossible(dataset, `the source ${source.kind} ${source.data_type} has no route`, 'docs/routes.md');
  }
  const [only] = names;
  // Lists and aggregates have one way to come: a wish for the others does not mean them.
  if (names.length === 1 && (only === 'list' || only === 'aggs')) return [plain(only, 'json', REASONS[only])];
  const route = asked(wish.route) ?? pipeline.route;
  const format = asked(wish.format) ?? pipeline.format;
  const wanted = route === 'auto' ? (wish.store === null ? names : (['export'] as const)) : [route];
  const options = wanted.flatMap((name): ChosenRoute[] => {
    const formats: Formats | undefined = (possible as Record<string, Formats | undefined>)[name];
    const fits = formats?.filter((one) => format === 'auto' || one === format) ?? [];
    const [first] = fits;
    if (first === undefined) return [];
    const reason = route === 'auto' ? REASONS[name as RouteName] : 'as asked for';
    if (name !== 'export') return [plain(name as RouteName, first, reason)];
    return exportOption(pipeline, wish, stores, route === 'auto', first, reason);
  });
  if (options.length > 0) return options;
  const known = Object.entries(possible).map(([name, formats]) => `${name} (${formats?.join(', ')})`);
  throw impossible(
    dataset,
    `does not come by route ${route}${format === 'auto' ? '' : ` as ${format}`}`,
    known.join('; '),
  );
}

/** `auto` on the command line leaves it to the pipeline file. */
function asked<T extends string>(wish: T | null): T | null {
  return wish === 'auto' ? null : wish;
}

const REASONS: Readonly<Record<RouteName, string>> = {
  // JSON tells a number from a text and a list from a lone value; CSV cannot.
  stream: 'a streamed export carries every row; JSON keeps types apart',
  export: 'a data export, for its size',
  search: 'a search, as the export is refused',
  aggs: 'ranking performance comes as aggregates',
  list: 'resources come as lists',
};

function plain(route: RouteName, format: ChosenRoute['format'], reason: string): ChosenRoute {
  return { route, format, store: null, reason };
}

/** A data export knows neither filters nor a choice of fields (spec-notes.md 21), and needs a store. */
function exportOption(
  pipeline: Pipeline,
  wish: RouteWish,
  stores: readonly Store[],
  optional: boolean,
  format: ChosenRoute['format'],
  reason: string,
): ChosenRoute[] {
  const filtered = pipeline.filter !== undefined && pipeline.filter !== null;
  const chosen = pipeline.fields.include.join() !== '*' || pipeline.fields.exclude.length > 0;
  const store = wish.store ?? stores[0];
  const problem =
    filtered || chosen
      ? `a data export takes no ${filtered ? 'filter' : 'choice of fields'}`
      : store === undefined || !stores.includes(store)
        ? `${store ?? 'no store'} is ${store ? 'not ' : ''}configured`
        : null;
  if (problem === null) return [{ route: 'export', format, store: store ?? null, reason }];
  if (optional && wish.store === null) return [];
  throw impossible(
    pipeline.dataset,
    problem,
    filtered || chosen ? 'stream, search' : 'set store_a.bucket or store_b.bucket (docs/settings.md)',
  );
}

/**
 * The route of one unit, by the number of rows that the service reports: a data export only where it pays, a search
 * only where it reaches.
 */
export function pickRoute(options: readonly ChosenRoute[], rows: number | null): ChosenRoute {
  const fits = options.find(({ route }) => {
    if (options.length === 1) return true;
    if (route === 'export') return rows !== null && rows >= EXPORT_FROM_ROWS;
    return route !== 'search' || (rows !== null && rows <= SEARCH_UP_TO_ROWS);
  });
  const [first] = options;
  if (first === undefined) throw new Error('a unit without a route');
  return fits ?? first;
}

function impossible(dataset: string, problem: string, possible: string): CrawlhouseError {
  return new CrawlhouseError('impossible_route', `${dataset}: ${problem}`, { hint: `possible: ${possible}` });
}
