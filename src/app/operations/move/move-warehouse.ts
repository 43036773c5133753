import { existsSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError, nothingPublished } from '../../../core/errors/errors.ts';
import { writeWhole } from '../../../core/files/atomic-file.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { acquireLock } from '../../../core/locks/acquire-lock.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import type { UnitReader } from '../../../etl/engines/engine.ts';
import {
  compareMoved,
  copyOps,
  copyRows,
  type MovedTable,
  type MovedUnit,
  makeTable,
  movedTables,
  recordMoved,
  refuseOthers,
  SOURCE,
  unitsToMove,
} from '../../../etl/engines/moved-units.ts';
import { openEngine } from '../../../etl/engines/open-engine.ts';
import { isInCatalog, openRemote } from '../../../etl/engines/registry.ts';
import { runSession } from '../../../etl/pipeline/session.ts';
import type { Session } from '../../../etl/pipeline/unit/contexts.ts';
import type { RunResult } from '../../../etl/project/model/runs/run-result.ts';
import { type UnitReport, unitReport } from '../../../etl/project/model/runs/unit-report.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import { commentRawColumns } from '../../../etl/state/catalog/comment-columns.ts';
import { publicationOf } from '../../../etl/state/catalog/ops/ops-publication.ts';
import { readRuns } from '../../../etl/state/catalog/ops/ops-runs.ts';
import { readUnits } from '../../../etl/state/catalog/ops/ops-units.ts';
import { attachPublished } from '../../../etl/state/catalog/published/attach-published.ts';
import { WAREHOUSE_VERSION } from '../../../etl/state/catalog/schema.ts';
import { openLedger } from '../../../etl/state/ledger/open-ledger.ts';

interface MoveOptions {
  readonly from: Settings;
  /** The settings of the target, with its own state directory. */
  readonly to: Settings;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly progress?: (text: string) => void;
}

interface Moved {
  readonly result: RunResult;
  /** The counts of both sides; empty after an error. */
  readonly tables: readonly MovedTable[];
}

/**
 * Copies the published warehouse to another engine, builds, tests and publishes its models there, and compares the
 * counts of both sides. Does not use the service. Each unit is moved in one transaction, so another attempt continues
 * where the last one stopped. Until the move ends, no run on any machine that shares the ledger changes the source.
 *
 * @throws CrawlhouseError `nothing_published`; `usage` for a warehouse that an earlier version published, or a target
 *   with units of others; `locked`; `unreconciled`; why the newest publication is unavailable
 */
export async function moveWarehouse({
  from,
  to,
  logger,
  signal: given,
  progress,
}: MoveOptions): Promise<Moved> {
  if (isInCatalog(from) && !existsSync(from.warehouse)) throw nothingPublished(from.warehouse);
  using _lock = await acquireLock(from.state_dir, 'move', logger, given);
  await using ledger = await openLedger(from, 'move', logger, given);
  const signal = AbortSignal.any([given, ledger.lost]);
  const remote = await openRemote(from.engine);
  await remote?.bringNewest(from, logger, signal);
  if (!existsSync(from.warehouse)) throw nothingPublished(from.warehouse);
  makeFolder(to.state_dir);
  const result = await runSession(
    { command: 'move', settings: to, logger, signal, ...(progress ? { progress } : {}) },
    async (session) => {
      const { connection } = session.working;
      await attachPublished(connection, from.warehouse, SOURCE);
      try {
        await checkVersion(connection, from.warehouse);
        return { units: await moveAll(session, from), errors: [] };
      } finally {
        await connection.run(`DETACH ${SOURCE}`);
      }
    },
  );
  if (result.errors.length > 0) return { result, tables: [] };
  const tables = await compareMoved(from, to, signal);
  await finish(from, to);
  return { result, tables };
}

/** Moves the catalog to where the settings expect it, and removes the files of the move. */
async function finish(from: Settings, to: Settings): Promise<void> {
  if (!isInCatalog(to)) {
    await writeWhole(join(from.state_dir, basename(to.warehouse)), (growing) =>
      copyFile(to.warehouse, growing),
    );
  }
  // It belongs to the former warehouse, so the next run would replace it with a warning.
  await rm(join(from.state_dir, 'work.duckdb'), { force: true });
  await rm(to.state_dir, { recursive: true, force: true });
}

async function checkVersion(connection: Connection, path: string): Promise<void> {
  const { version } = await publicationOf(connection, SOURCE);
  if (version === WAREHOUSE_VERSION) return;
  throw new CrawlhouseError('usage', `${path} was published by another version of crawlhouse`, {
    hint: 'crawlhouse transform publishes it again',
  });
}

async function moveAll(session: Session, from: Settings): Promise<UnitReport[]> {
  const { working, ledger, signal } = session;
  const { connection } = working;
  await refuseOthers(connection);
  await copyOps(connection);
  await ledger.restore(await readUnits(connection), await readRuns(connection));
  const lists = new Set<string>();
  for (const dataset of await movedTables(connection, 'raw')) {
    const columns = await makeTable(connection, dataset);
    await commentRawColumns(connection, dataset, new Map());
    if (!columns.some(({ name }) => name === '_seen_to')) continue;
    lists.add(dataset);
    await connection.transaction(() => copyRows(connection, 'raw', dataset));
  }
  const engine = await openEngine(from.engine);
  const place = { connection, source: SOURCE, temporary: join(from.state_dir, 'engine') };
  await using reader = await engine.openUnits(place);
  const units = await unitsToMove(connection);
  const reports: UnitReport[] = [];
  for (const [index, unit] of units.entries()) {
    signal.throwIfAborted();
    session.progress(`${index + 1} of ${units.length} units: ${unit.unit}`);
    await moveUnit(session, lists.has(unit.dataset) ? null : reader, unit);
    reports.push(unitReport(unit, 'loaded', null));
  }
  if (units.length > 0) await working.markDirty();
  return reports;
}

async function moveUnit(
  { working, signal }: Session,
  reader: UnitReader | null,
  { unit, dataset, rows }: MovedUnit,
): Promise<void> {
  const { connection } = working;
  const relation = `raw.${dataset}`;
  await using found = (await reader?.rowsOf(relation, unit, signal)) ?? null;
  await connection.transaction(async () => {
    if (found !== null) {
      const moved = await working.rows.replaceUnit({ relation, unit, ...found }, signal);
      if (moved !== rows)
        throw new CrawlhouseError('unreconciled', `${unit}: ${rows} rows loaded, but ${moved} moved`, {
          hint: 'the warehouse is unchanged; crawlhouse backfill --from DATE --to DATE --reload loads the unit again',
        });
    }
    // Only rows in a file have a fingerprint.
    await recordMoved(connection, unit, working.rows.isInCatalog || found === null);
  });
}
