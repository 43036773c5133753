import { CrawlhouseError } from '../../core/errors/errors.ts';
import type { Logger } from '../../core/logs/logger.ts';
import type { Source } from '../../project/model/source.ts';
import { dataSourceOf } from '../../project/model/unit-source.ts';
import { chooseFormat } from './choose-format.ts';
import { pickRoute } from './choose-route.ts';
import { describeRows } from './describe-rows.ts';
import type { FieldSchemaCache } from './field-schema-cache.ts';
import { ROUTES } from './registry.ts';
import type { ChosenRoute, RouteContext, RoutedUnit, RouteOption } from './route.ts';
import { isWeighed } from './weigh-export.ts';

export interface OpeningContext extends RouteContext {
  readonly fieldSchemas: FieldSchemaCache;
  readonly logger: Logger;
  /** The unit's slot in the fair queue: it may wait for one of a store. */
  readonly slot: { move(store: string | null): Promise<void> };
}

export interface UnitToOpen extends Omit<RoutedUnit, 'chosen' | 'rows'> {
  /** Routes that the unit may take, the preferred first. */
  readonly options: readonly RouteOption[];
  /** Takes the route and format that are tried. */
  readonly onChosen?: ((chosen: ChosenRoute) => void) | undefined;
}

export interface OpenedUnit {
  readonly source: Source;
  readonly chosen: ChosenRoute;
  /** The routes that were not refused, for the next attempt. */
  readonly left: readonly RouteOption[];
}

/** Codes of errors by which one route is refused, and perhaps not the next. */
const REFUSALS: readonly string[] = [
  'forbidden',
  'missing_feature',
  'wrong_state',
  'store_refused',
  'impossible_route',
];

/**
 * Opens a unit by the first of its routes that fits its rows and is not refused.
 *
 * @throws CrawlhouseError the refusal, when every route is refused
 */
export async function openUnit(
  context: OpeningContext,
  { planned, options, inventory, folder, onRows, onChosen }: UnitToOpen,
): Promise<OpenedUnit> {
  const data = dataSourceOf(planned.pipeline, planned.unit);
  let left = options;
  let first: CrawlhouseError | undefined;
  for (;;) {
    const { client, fieldSchemas, ledger, signal } = context;
    const rows = data && (await describeRows(client, fieldSchemas, data, planned, signal));
    const requested = isWeighed(left) ? await ledger.exportOf(planned.name) : undefined;
    const facts = { rows: rows?.reported ?? null, fields: rows?.fields ?? null, requested };
    const chosen = chooseFormat(pickRoute(left, facts), rows?.fields ?? []);
    onChosen?.(chosen);
    if (rows) await context.slot.move(chosen.store);
    try {
      const unit = { planned, chosen, rows, inventory, folder, onRows };
      return { source: await ROUTES[chosen.route].open(context, unit), chosen, left };
    } catch (error) {
      if (rows === null || !isRefusal(error)) throw error;
      const others = left.filter((one) => one.route !== chosen.route);
      if (others.length === 0) throw lastRefusal(first, error);
      first ??= error;
      const reason = `${chosen.route} was refused: ${error.message}`;
      context.logger.info('route refused, trying another', { unit: planned.name, reason });
      left = others.map((one) => ({ ...one, reason }));
    }
  }
}

function isRefusal(error: unknown): error is CrawlhouseError {
  return error instanceof CrawlhouseError && REFUSALS.includes(error.code);
}

/** If the service refused the previous route, that error is the reason, not that this route can't bring the rows. */
function lastRefusal(first: CrawlhouseError | undefined, last: CrawlhouseError): CrawlhouseError {
  if (first === undefined || last.code !== 'impossible_route') return last;
  return new CrawlhouseError(first.code, `${first.message}; ${last.message}`, {
    cause: first,
    hint: first.hint,
  });
}
