import { CrawlhouseError, nothingPublished } from '../core/errors/errors.ts';
import type { Logger } from '../core/logs/logger.ts';
import { dropUnits } from '../engines/new-units.ts';
import type { LedgerUnit } from '../project/model/runs/ledger-records.ts';
import type { RunResult } from '../project/model/runs/run-result.ts';
import type { Settings } from '../project/settings/settings.ts';
import {
  chooseTargets,
  type DroppedUnit,
  type DropRequest,
  dropTargets,
} from '../state/catalogue/drop-targets.ts';
import { publicationOf } from '../state/catalogue/ops/ops-publication.ts';
import { readUnits } from '../state/catalogue/ops/ops-units.ts';
import { readPublished } from '../state/catalogue/published/read-published.ts';
import { CATALOG, WAREHOUSE_VERSION } from '../state/catalogue/schema.ts';
import { type LedgerSettings, readLedger } from '../state/ledger/open-ledger.ts';
import { runSession } from './session.ts';
import type { Session } from './unit/run-context.ts';

const BY_HAND = 'taken out by crawlhouse drop';

/**
 * The units that a drop would remove, by the published warehouse and the ledger. Removes none.
 *
 * @throws CrawlhouseError `nothing_published`; `usage` for a crawl or project of which there is nothing, and for a file
 *   of an earlier version
 */
export async function planDrop(settings: Settings, request: DropRequest): Promise<readonly DroppedUnit[]> {
  const found = await knownTargets(settings, request);
  if (found === 'earlier') {
    throw new CrawlhouseError('usage', `${settings.warehouse} is of an earlier version of crawlhouse`, {
      hint: 'its next publication migrates it: a run with something new, or a drop with --yes, which lists what it has dropped',
    });
  }
  return found;
}

async function knownTargets(
  settings: Settings,
  request: DropRequest,
): Promise<readonly DroppedUnit[] | 'earlier'> {
  const remembered = await rememberedUnits(settings);
  const found = await readPublished(settings, async (connection) => {
    // The queries are of this version's columns, and a published file is never written to.
    const { version } = await publicationOf(connection, CATALOG);
    if (version < WAREHOUSE_VERSION) return 'earlier' as const;
    const units = await readUnits(connection);
    const known = new Map([...units, ...remembered].map((one) => [one.unit, one]));
    return dropTargets(connection, [...known.values()], request);
  });
  if (found !== undefined) return found;
  if (remembered.length === 0) throw nothingPublished(settings.warehouse);
  return chooseTargets([], remembered, request.projects, request);
}

/** The units of the ledger; the next run rebuilds a damaged one. */
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
 * Takes units out of the warehouse, makes the models again and publishes; no run loads them again unless it is told to.
 *
 * @throws CrawlhouseError of kind usage, before anything was tried
 */
export async function drop(
  settings: Settings,
  request: DropRequest,
  logger: Logger,
  signal: AbortSignal,
): Promise<{ readonly result: RunResult; readonly dropped: readonly DroppedUnit[] }> {
  // A killed drop may have taken them out of the working copy. Of a file of an earlier version only that can tell.
  const known = await knownTargets(settings, request);
  const published = known === 'earlier' ? [] : known;
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
  const names = units.map((one) => one.unit);
  const rows = await dropUnits(session.working, { units, reason });
  const error = { code: 'dropped', message: reason, hint: null } as const;
  for (const { dataset, source, window } of units)
    await session.ledger.setUnit({ dataset, source, window }, 'dropped', 0, error);
  session.logger.info('dropped', { units: names.length, rows: Number(rows), reason });
}
