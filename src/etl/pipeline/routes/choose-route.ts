import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { STORE_NAMES, type StoreName } from '../../../core/stores/registry.ts';
import type { Format, Pipeline, Route } from '../../project/model/pipeline.ts';
import { ROUTE_NAMES, ROUTES } from './registry.ts';
import type { ChosenRoute, RouteFormat, RouteName, RouteOption } from './route.ts';
import { type WeighedUnit, weighExport } from './weigh-export.ts';

/** A route, format or store from the command line, which overrides that of the pipeline. */
export interface RouteOverride {
  readonly route: Route | null;
  readonly format: Format | null;
  readonly store: StoreName | null;
}

/** Returns routes with their formats, preferred first, for a kind of source and its data type (docs/routes.md). */
export function possibleRoutes(
  source: Pipeline['source'],
): Readonly<Partial<Record<RouteName, readonly RouteFormat[]>>> {
  return Object.fromEntries(
    ROUTE_NAMES.flatMap((name) => {
      const formats = ROUTES[name].formats(source);
      return formats.length > 0 ? [[name, formats]] : [];
    }),
  );
}

/**
 * Returns the routes of a pipeline's units, preferred route first. A route chosen by name excludes all other routes.
 *
 * @param stores the stores in the settings
 * @throws CrawlhouseError `impossible_route` or `bad_pipeline`, before anything starts
 */
export function routeOptions(
  pipeline: Pipeline,
  override: RouteOverride,
  stores: readonly StoreName[],
): readonly RouteOption[] {
  const { dataset, source } = pipeline;
  const possible = possibleRoutes(source);
  const names = Object.keys(possible) as RouteName[];
  if (names.length === 0) {
    throw impossible(dataset, `the source ${source.kind} ${source.data_type} has no route`, 'docs/routes.md');
  }
  const [only] = names;
  if (only !== undefined && ROUTES[only].isOnly) return [plain(only, 'json', ROUTES[only].reason)];
  const route = asked(override.route) ?? pipeline.route;
  const format = asked(override.format) ?? pipeline.format;
  const wanted = route === 'auto' ? (override.store === null ? names : (['export'] as const)) : [route];
  const options = wanted.flatMap((name): RouteOption[] => {
    const formats = possible[name];
    const fits = formats?.filter((name) => format === 'auto' || name === format) ?? [];
    const [first] = fits;
    if (first === undefined) return [];
    const reason = route === 'auto' ? ROUTES[name].reason : 'as requested';
    if (name !== 'export') return [{ ...plain(name, first, reason), ...cheaperOf(name, fits, first) }];
    const store = override.store ?? stores[0];
    const refusal = exportRefusal(pipeline, store, stores);
    if (refusal === null) return [{ route: name, format: first, store: store ?? null, reason }];
    if (route === 'auto' && override.store === null) return [];
    throw refusal;
  });
  if (options.length > 0) return options;
  const choices = Object.entries(possible).map(([name, formats]) => `${name} (${formats?.join(', ')})`);
  throw impossible(
    dataset,
    `does not come by route ${route}${format === 'auto' ? '' : ` as ${format}`}`,
    choices.join('; '),
  );
}

/** Returns the requested name. `auto` on the command line defers to the pipeline file. */
function asked<T extends string>(override: T | null): T | null {
  return override === 'auto' ? null : override;
}

/** Returns the format that a unit's fields may choose instead of the preferred one. */
function cheaperOf(
  name: RouteName,
  fits: readonly RouteFormat[],
  preferred: RouteFormat,
): Pick<RouteOption, 'cheaper'> {
  const { cheaper } = ROUTES[name];
  return cheaper !== undefined && cheaper !== preferred && fits.includes(cheaper) ? { cheaper } : {};
}

function plain(route: RouteName, format: ChosenRoute['format'], reason: string): ChosenRoute {
  return { route, format, store: null, reason };
}

/**
 * Returns why a data export is impossible. It supports neither filters nor a choice of fields (spec-notes.md 21), and
 * needs a store.
 */
function exportRefusal(
  pipeline: Pipeline,
  store: StoreName | undefined,
  stores: readonly StoreName[],
): CrawlhouseError | null {
  const filtered = pipeline.filter !== undefined && pipeline.filter !== null;
  const chosen = pipeline.fields.include.join() !== '*' || pipeline.fields.exclude.length > 0;
  const problem =
    filtered || chosen
      ? `a data export accepts no ${filtered ? 'filter' : 'choice of fields'}`
      : store === undefined || !stores.includes(store)
        ? `${store ?? 'no store'} is ${store ? 'not ' : ''}configured`
        : null;
  if (problem === null) return null;
  return impossible(
    pipeline.dataset,
    problem,
    filtered || chosen
      ? 'stream, search'
      : `set ${STORE_NAMES.map((name) => `${name}.bucket`).join(' or ')} (docs/settings.md#stores)`,
  );
}

/**
 * Returns the route of one unit, by the known facts. The quicker of streamed export and data export comes first. If
 * only one of the two is possible, a search is preferred for few rows.
 */
export function pickRoute(options: readonly RouteOption[], facts: WeighedUnit): RouteOption {
  const [first] = options;
  if (first === undefined) throw new Error('a unit without a route');
  return weighExport(options, facts) ?? options.find(({ route }) => ROUTES[route].suits(facts.rows)) ?? first;
}

function impossible(dataset: string, problem: string, possible: string): CrawlhouseError {
  return new CrawlhouseError('impossible_route', `${dataset}: ${problem}`, { hint: `possible: ${possible}` });
}
