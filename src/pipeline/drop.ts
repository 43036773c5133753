import type { Settings } from '../config/settings.ts';
import type { Connection } from '../core/duckdb.ts';
import { CrawlhouseError } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { Ledger, LedgerUnit } from '../ledger/ledger.ts';
import { type Unit, unitName } from '../model/unit.ts';
import { dropUnits } from '../warehouse/drop-units.ts';
import { type HeldUnit, heldUnits, projectNamed } from '../warehouse/held-units.ts';
import { WAREHOUSE_VERSION } from '../warehouse/schema.ts';
import { ledgerTables } from './ledger-tables.ts';
import { readPublished } from './read-published.ts';
import { type RunResult, runSession } from './session.ts';

export interface DropRequest {
  /** Ids of crawls or crawl over crawls. */
  readonly crawls: readonly string[];
  /** Ids or names of projects. */
  readonly projects: readonly string[];
  /** Only these datasets; empty: all. */
  readonly datasets: readonly string[];
}

/** A unit that a drop takes out, or keeps out. */
export interface DroppedUnit {
  readonly unit: string;
  readonly dataset: string;
  readonly source: Unit['source'];
  readonly window: Unit['window'];
  /** Rows in the warehouse; null for a unit that was never loaded and now never will be. */
  readonly rows: number | null;
}

const BY_HAND = 'taken out by crawlhouse drop';

/**
 * What a drop would take out, by the published warehouse. Changes nothing.
 *
 * @throws CrawlhouseError `nothing_published`; `usage` for a crawl or project of which there is nothing, and for a file
 *   of an earlier version
 */
export async function planDrop(settings: Settings, request: DropRequest): Promise<readonly DroppedUnit[]> {
  const found = await publishedTargets(settings, request);
  if (found === 'earlier') {
    throw new CrawlhouseError('usage', `${settings.warehouse} is of an earlier version of crawlhouse`, {
      hint: 'its next publication brings it forward: a run with something new, or a drop without --plan',
    });
  }
  if (found !== undefined) return found;
  throw nothingPublished();
}

function nothingPublished(): CrawlhouseError {
  return new CrawlhouseError('nothing_published', 'there is no warehouse to drop anything from');
}

function publishedTargets(
  settings: Settings,
  request: DropRequest,
): Promise<readonly DroppedUnit[] | 'earlier' | undefined> {
  return readPublished(settings, async (connection) => {
    // The queries are of this version's columns, and a published file is never written to.
    const version = await connection.scalar('SELECT version FROM ops.publication');
    if (Number(version) < WAREHOUSE_VERSION) return 'earlier' as const;
    return dropTargets(connection, (await ledgerTables(connection)).units, request);
  });
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
  // Of an earlier version it is the working copy that says whether there is anything: it is brought forward first.
  if ((await publishedTargets(settings, request)) === undefined) throw nothingPublished();
  let dropped: readonly DroppedUnit[] = [];
  const result = await runSession({ command: 'drop', settings, logger, signal }, async (session) => {
    const { connection } = session.working;
    dropped = await dropTargets(connection, session.ledger.units(), request);
    await takeOut(session, dropped, BY_HAND);
    return { units: [], errors: [] };
  });
  return { result, dropped };
}

/** Rows out of the working copy, and the word of it in the ledger. */
export async function takeOut(
  session: { readonly working: { readonly connection: Connection }; readonly ledger: Ledger; logger: Logger },
  units: readonly DroppedUnit[],
  reason: string,
): Promise<void> {
  if (units.length === 0) return;
  const names = units.map((one) => one.unit);
  const rows = await dropUnits(session.working.connection, { units: names, reason });
  for (const { dataset, source, window } of units)
    session.ledger.setUnit({ dataset, source, window }, 'dropped', 0, {
      code: 'dropped',
      message: reason,
      hint: null,
    });
  session.logger.info('dropped', { units: names.length, rows: Number(rows), reason });
}

async function dropTargets(
  connection: Connection,
  known: readonly LedgerUnit[],
  { crawls, projects, datasets }: DropRequest,
): Promise<readonly DroppedUnit[]> {
  const held = await heldUnits(connection);
  const projectIds = await Promise.all(projects.map((name) => projectNamed(connection, name)));
  const rest = known.filter((one) => !held.has(unitName(one)) && one.status !== 'dropped');
  const all = [
    ...[...held.values()].map(asDropped),
    ...rest.map(({ unit, dataset, source, window }) => ({ unit, dataset, source, window, rows: null })),
  ];
  const isOf = (one: DroppedUnit, crawl: string): boolean =>
    one.source.kind !== 'resource' && one.source.project_id !== one.source.id && one.source.id === crawl;
  for (const crawl of crawls) if (!all.some((one) => isOf(one, crawl))) throw nothingOf(`crawl ${crawl}`);
  for (const [index, id] of projectIds.entries())
    if (!all.some((one) => one.source.project_id === id)) throw nothingOf(`project ${projects[index]}`);
  return all
    .filter(
      (one) =>
        crawls.some((crawl) => isOf(one, crawl)) ||
        (one.source.project_id !== null && projectIds.includes(one.source.project_id)),
    )
    .filter((one) => datasets.length === 0 || datasets.includes(one.dataset))
    .sort((a, b) => a.unit.localeCompare(b.unit));
}

export function asDropped({ unit, dataset, source, window, rows }: HeldUnit): DroppedUnit {
  return { unit, dataset, source, window, rows };
}

function nothingOf(what: string): CrawlhouseError {
  return new CrawlhouseError('usage', `the warehouse has nothing of ${what}`, {
    hint: 'crawlhouse status --json lists the units that are known, with their crawls and projects',
  });
}
