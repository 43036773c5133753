import { CrawlhouseError, nothingPublished } from '../../core/errors/errors.ts';
import type { Logger } from '../../core/logs/logger.ts';
import { dropUnits } from '../engines/new-units.ts';
import type { LedgerUnit } from '../project/model/runs/ledger-records.ts';
import type { RunResult } from '../project/model/runs/run-result.ts';
import type { Settings } from '../project/settings/settings.ts';
import {
  chooseTargets,
  type DroppedUnit,
  type DropRequest,
  dropTargets,
} from '../state/catalog/drop-targets.ts';
import { publicationOf } from '../state/catalog/ops/ops-publication.ts';
import { readUnits } from '../state/catalog/ops/ops-units.ts';
import { readPublished } from '../state/catalog/published/read-published.ts';
import { CATALOG, WAREHOUSE_VERSION } from '../state/catalog/schema.ts';
import { type LedgerSettings, readLedger } from '../state/ledger/open-ledger.ts';
import { runSession } from './session.ts';
import type { Session } from './unit/contexts.ts';

const BY_HAND = 'removed by crawlhouse drop';

/**
 * Returns the units that a drop would remove, from the published warehouse and the ledger. Removes nothing.
 *
 * @throws CrawlhouseError `nothing_published`; `usage` for a crawl or project without any units, and for a file of an
 *   earlier version
 */
export async function planDrop(settings: Settings, request: DropRequest): Promise<readonly DroppedUnit[]> {
  const targets = await presentTargets(settings, request);
  if (targets === 'earlier') {
    throw new CrawlhouseError(
      'usage',
      `${settings.warehouse} was written by an earlier version of crawlhouse`,
      { hint: 'to upgrade the file, publish again: run with new units, or drop with --yes' },
    );
  }
  return targets;
}

async function presentTargets(
  settings: Settings,
  request: DropRequest,
): Promise<readonly DroppedUnit[] | 'earlier'> {
  const remembered = await rememberedUnits(settings);
  const targets = await readPublished(settings, async (connection) => {
    // The queries use this version's columns, and a published file is never written to.
    const { version } = await publicationOf(connection, CATALOG);
    if (version < WAREHOUSE_VERSION) return 'earlier' as const;
    const units = await readUnits(connection);
    const byName = new Map([...units, ...remembered].map((entry) => [entry.unit, entry]));
    return dropTargets(connection, [...byName.values()], request);
  });
  if (targets !== undefined) return targets;
  if (remembered.length === 0) throw nothingPublished(settings.warehouse);
  return chooseTargets([], remembered, request.projects, request);
}

/** Returns the units of the ledger. The next run rebuilds a damaged ledger. */
async function rememberedUnits(settings: LedgerSettings): Promise<readonly LedgerUnit[]> {
  try {
    await using ledger = await readLedger(settings);
    return (await ledger?.units()) ?? [];
  } catch (error) {
    if (error instanceof CrawlhouseError && error.code === 'damaged_ledger') return [];
    throw error;
  }
}

/**
 * Removes units from the warehouse, builds the models again and publishes. Later runs do not load the units again
 * unless they are requested explicitly.
 *
 * @throws CrawlhouseError of kind usage, before anything was tried
 */
export async function drop(
  settings: Settings,
  request: DropRequest,
  logger: Logger,
  signal: AbortSignal,
): Promise<{ readonly result: RunResult; readonly dropped: readonly DroppedUnit[] }> {
  // A killed drop may have removed them from the working copy. For a file of an earlier version, only the working copy
  // shows it.
  const targets = await presentTargets(settings, request);
  const published = targets === 'earlier' ? [] : targets;
  let dropped: readonly DroppedUnit[] = [];
  const result = await runSession({ command: 'drop', settings, logger, signal }, async (session) => {
    const { connection } = session.working;
    dropped = await dropTargets(connection, await session.ledger.units(), request, published);
    await takeOut(session, dropped, BY_HAND);
    return { units: [], errors: [] };
  });
  return { result, dropped };
}

/** Removes the rows from the working copy, and records the drop in the ledger. */
export async function takeOut(
  session: Pick<Session, 'working' | 'ledger' | 'logger'>,
  units: readonly DroppedUnit[],
  reason: string,
): Promise<void> {
  if (units.length === 0) return;
  const names = units.map(({ unit }) => unit);
  const rows = await dropUnits(session.working, { units, reason });
  const error = { code: 'dropped', message: reason, hint: null } as const;
  for (const { dataset, source, window } of units)
    await session.ledger.setUnit({ dataset, source, window }, 'dropped', 0, error);
  session.logger.info('dropped', { units: names.length, rows: Number(rows), reason });
}
