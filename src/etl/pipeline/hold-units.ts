import { withLowerMemory, withOneThread } from '../../core/duckdb/lower-memory.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import type { Meter } from '../../core/progress/meter.ts';
import { type NewUnit, type NewUnits, withNewUnits } from '../engines/new-units.ts';
import type { WorkingCopy } from '../engines/working-copy.ts';
import type { LedgerUnit } from '../project/model/runs/ledger-records.ts';
import { reportedError, type UnitReport, unitReport } from '../project/model/runs/unit-report.ts';
import { type Hold, recordHolds } from '../state/catalog/ops/ops-holds.ts';
import { projectNames } from '../state/catalog/raw/raw-projects.ts';
import { abandonExport, type ReconcileContext } from './routes/export/reconcile-exports.ts';
import type { ModelsOutcome } from './transform/build/make-models.ts';
import { findFaults, type TestFault } from './transform/faults/find-faults.ts';

/** Share of the memory limit, because DuckDB exceeds it when it restores rows of many columns. */
const MEMORY_SHARE = 0.6;

export interface HoldContext extends Omit<ReconcileContext, 'settings'> {
  readonly settings: { readonly state_dir: string };
  readonly working: WorkingCopy;
  readonly runId: string;
  readonly modelsVersion: string;
  readonly meter: Pick<Meter, 'step'>;
}

export interface HeldBack {
  readonly unit: NewUnit;
  readonly faults: readonly TestFault[];
  readonly error: CrawlhouseError;
}

/**
 * Removes the units that caused failed tests or broken models from the working copy. Their published rows stay. Uses
 * one transaction, so that a killed process leaves the units either new or quarantined.
 */
export async function holdFaultyUnits(context: HoldContext, outcome: ModelsOutcome): Promise<HeldBack[]> {
  const { working, runId, signal } = context;
  return withNewUnits(working, async (fresh) => {
    const { connection } = working;
    const options = { connection, engine: working.models, outcome, found: fresh, runId, signal };
    const faults = Map.groupBy(await findFaults(options), ({ unit }) => unit);
    const names = await projectNames(working.connection);
    const held = fresh.units.flatMap((unit) => {
      const own = faults.get(unit.unit);
      return own ? [{ unit, faults: own, error: errorOf(unit, own, names) }] : [];
    });
    if (held.length > 0) await hold(context, held, fresh);
    return held;
  });
}

async function hold(context: HoldContext, held: readonly HeldBack[], { putBack }: NewUnits): Promise<void> {
  const { working, ledger, logger, runId } = context;
  const { connection } = working;
  const holds = held.map((unit) => holdOf(unit, context.modelsVersion));
  await withOneThread(connection, () =>
    withLowerMemory(connection, MEMORY_SHARE, () =>
      connection.transaction(async () => {
        await putBack(holds.map(({ unit }) => unit));
        await recordHolds(connection, holds, runId);
        await working.markDirty();
      }),
    ),
  );
  const entries = await ledger.units('unpublished');
  const attempts = new Map(entries.map((entry) => [entry.unit, entry.attempts]));
  for (const { unit, error } of held) {
    await ledger.discoverUnits([unit]);
    await ledger.setUnit(unit, 'refused', attempts.get(unit.unit) ?? 0, reportedError(error));
    await abandonExport(context, unit.unit, error);
    logger.info('unit held', { unit: unit.unit, stage: 'transform', error: error.message });
  }
}

/** Returns the units of a run's report, updated for quarantined units. */
export function withHeld(units: readonly UnitReport[], held: readonly HeldBack[]): UnitReport[] {
  const errors = new Map(held.map(({ unit, error }) => [unit.unit, error]));
  const touched = new Set(units.map(({ unit }) => unit));
  return [
    ...units.map((report): UnitReport => {
      const error = errors.get(report.unit);
      if (!error) return report;
      const counts = { ...report.counts, loaded: null, queryable: null };
      return { ...report, status: 'refused', counts, error: reportedError(error) };
    }),
    ...held
      .filter(({ unit }) => !touched.has(unit.unit))
      .map(({ unit, error }) => unitReport(unit, 'refused', reportedError(error))),
  ];
}

function holdOf({ unit, faults, error }: HeldBack, models: string): Hold {
  const [first] = faults;
  return {
    unit: unit.unit,
    model: first?.model ?? '',
    test: first?.test ?? null,
    error: reportedError(error),
    content_sha256: faults.some(({ isAlone }) => isAlone) ? unit.content_sha256 : null,
    models,
  };
}

function errorOf(
  { unit, source, window }: NewUnit,
  faults: readonly TestFault[],
  names: ReadonlyMap<string, string>,
): CrawlhouseError {
  const project = source.project_id ?? source.id;
  const name = names.get(project);
  const whose = [
    name === undefined ? `project ${project}` : `project ${name} (${project})`,
    ...(source.id === project ? [] : [`${source.kind === 'crawl' ? 'crawl' : 'comparison'} ${source.id}`]),
    ...(window ? [window.from] : []),
  ].join(', ');
  const [first] = faults;
  const isTest = first?.test != null;
  const what = isTest
    ? `${first.rows} ${first.rows === 1 ? 'row' : 'rows'} of ${whose} fail the test ${first.test} of ${first.model}: ${first.example}`
    : `with the rows of ${whose}: ${first?.example}`;
  const others = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const drop = source.id === project ? '' : `; crawlhouse drop --crawl ${source.id} leaves it out`;
  return new CrawlhouseError(isTest ? 'test_held' : 'model_held', `${unit}: ${what}${others}`, {
    hint: `the unit keeps its previous rows, crawlhouse publishes everything else, and the next run requests the unit again${drop}`,
  });
}

export function isHeldBack({ status, error }: LedgerUnit): boolean {
  return status === 'refused' && (error?.code === 'test_held' || error?.code === 'model_held');
}

/** Returns whether the unit changes what `ops` shows. */
export function isChange(unit: UnitReport, before: string | undefined): boolean {
  if (unit.status === 'loaded') return true;
  return unit.status !== 'unchanged' && unit.status !== before;
}
