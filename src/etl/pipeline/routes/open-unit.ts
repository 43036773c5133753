import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import type { Download } from '../../project/model/download.ts';
import type { Task } from '../../project/model/task.ts';
import { dataSourceOf } from '../../project/model/unit-source.ts';
import { chooseFormat } from './choose-format.ts';
import { pickRoute } from './choose-route.ts';
import { describeRows } from './describe-rows.ts';
import type { FieldSchemaCache } from './field-schema-cache.ts';
import { ROUTES } from './registry.ts';
import type { ChosenRoute, RouteContext, RouteOption, RouteRequest } from './route.ts';
import { isWeighed } from './weigh-export.ts';

export interface OpeningContext extends RouteContext {
  readonly fieldSchemas: FieldSchemaCache;
  readonly logger: Logger;
  /** The unit's slot in the fair queue. The unit may wait for a store's slot. */
  readonly slot: { move(store: string | null): Promise<void> };
}

export interface OpeningOptions extends Pick<RouteRequest, 'folder' | 'onRows'> {
  /** Called with the chosen route and format. */
  readonly onChosen?: ((chosen: ChosenRoute) => void) | undefined;
}

/** Codes of errors that refuse one route, but perhaps not the next. */
const REFUSALS: readonly string[] = [
  'forbidden',
  'missing_feature',
  'wrong_state',
  'store_refused',
  'impossible_route',
];

/**
 * Opens a unit through the first possible route that suits its rows and that neither the service nor a store refuses.
 *
 * @param options possible routes, preferred first
 * @returns also the routes that were not refused, for the next attempt
 * @throws CrawlhouseError the last refusal, if every route is refused
 */
export async function openUnit(
  context: OpeningContext,
  task: Task,
  options: readonly RouteOption[],
  { onChosen, ...to }: OpeningOptions,
): Promise<{
  readonly download: Download;
  readonly chosen: ChosenRoute;
  readonly left: readonly RouteOption[];
}> {
  const data = dataSourceOf(task.pipeline, task.unit);
  let left = options;
  let first: CrawlhouseError | undefined;
  for (;;) {
    const { client, fieldSchemas, ledger, signal } = context;
    const rows = data && (await describeRows(client, fieldSchemas, data, task, signal));
    const requested = isWeighed(left) ? await ledger.exportOf(task.name) : undefined;
    const facts = { rows: rows?.reported ?? null, fields: rows?.fields ?? null, requested };
    const chosen = chooseFormat(pickRoute(left, facts), rows?.fields ?? []);
    onChosen?.(chosen);
    if (rows) await context.slot.move(chosen.store);
    try {
      const download = await ROUTES[chosen.route].open(context, { ...to, task, chosen, rows });
      return { download, chosen, left };
    } catch (error) {
      if (rows === null || !isRefusal(error)) throw error;
      const others = left.filter(({ route }) => route !== chosen.route);
      if (others.length === 0) throw lastRefusal(first, error);
      first ??= error;
      const reason = `${chosen.route} was refused: ${error.message}`;
      context.logger.info('route refused, trying another', { unit: task.name, reason });
      left = others.map((option) => ({ ...option, reason }));
    }
  }
}

function isRefusal(error: unknown): error is CrawlhouseError {
  return error instanceof CrawlhouseError && REFUSALS.includes(error.code);
}

/**
 * Returns the reported refusal. If the service refused the previous route, that error is the reason, not the limits of
 * this route.
 */
function lastRefusal(first: CrawlhouseError | undefined, last: CrawlhouseError): CrawlhouseError {
  if (first === undefined || last.code !== 'impossible_route') return last;
  return new CrawlhouseError(first.code, `${first.message}; ${last.message}`, {
    cause: first,
    hint: first.hint,
  });
}
