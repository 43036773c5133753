import { join } from 'node:path';
import { CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';
import { host } from '../../core/host/host.ts';
import { inSpan } from '../../core/logs/telemetry.ts';
import { stringifyJson } from '../../core/text/json.ts';
import type { Manifest } from '../../project/model/manifest.ts';
import type { PlannedUnit } from '../../project/model/planned-unit.ts';
import type { Counts } from '../../project/model/runs/counts.ts';
import {
  reportedError,
  type UnitReport,
  type UnitStatus,
  unitReport,
} from '../../project/model/runs/report.ts';
import { isBeforeEnd } from '../../project/model/unit.ts';
import { pipelineDefinition } from '../../project/model/unit-source.ts';
import { nameFullDisk } from '../../project/settings/name-full-disk.ts';
import type { LoadedUnit } from '../../state/catalogue/ops/ops-loads.ts';
import { readPackage, type StagedPackage } from '../load/read-package.ts';
import { chooseFormat } from '../routes/choose-format.ts';
import { abandonExport } from '../routes/export/reconcile-exports.ts';
import { isListUnchanged } from '../routes/list/list-route.ts';
import type { ChosenRoute, RouteOption } from '../routes/route.ts';
import { removeFolders, unitFolders } from '../stage/unit-folders.ts';
import { stagedCounts } from './load-staged.ts';
import type { RunContext, UnitContext, UnitToStage } from './run-context.ts';
import { stageUnit } from './stage-unit.ts';

export interface UnitOutcome {
  readonly report: UnitReport;
  readonly error: CrawlhouseError | null;
}

/** A unit that another process has staged, or failed to. */
export interface StagedByOther {
  /** Its package, or the reason why there is none. */
  readonly result: StagedPackage | CrawlhouseError;
  readonly attempts: number;
}

/** A unit to run; `stagedByOther` where another process has seen to it. */
export interface UnitToRun extends UnitToStage {
  readonly stagedByOther?: StagedByOther | undefined;
}

/**
 * Takes one unit from the service into the working copy. The outcome holds the unit's error.
 *
 * @throws CrawlhouseError of the ledger, where it can't note the outcome
 */
export async function runUnit(
  context: UnitContext,
  due: UnitToRun,
  known: LoadedUnit | undefined,
): Promise<UnitOutcome> {
  const { planned, options, inventory, stagedByOther } = due;
  const { unit, name } = planned;
  const { ledger, settings } = context;
  const startedAt = host().monotonic();
  context.events?.begin(name);
  const tried: Tried = { attempts: stagedByOther?.attempts ?? 0, chosen: null };
  let staged: StagedPackage | undefined;
  const outcome = (
    status: UnitStatus,
    counts: Counts | null,
    error: CrawlhouseError | null,
  ): UnitOutcome => ({
    error,
    report: unitReport(unit, status, error && reportedError(error), {
      route: staged?.manifest.source.route ?? tried.chosen?.route ?? options[0]?.route ?? null,
      format: staged?.manifest.source.format ?? tried.chosen?.format ?? knownFormat(options[0]),
      reason: staged?.manifest.source.reason ?? null,
      ...(counts ? { counts } : {}),
      bytes: staged?.manifest.bytes ?? null,
      seconds: Math.round(host().monotonic() - startedAt) / 1000,
      attempts: tried.attempts,
    }),
  });
  if (known && !context.reload && isListUnchanged(planned, inventory))
    return outcome('unchanged', null, null);
  try {
    staged = await obtainPackage(context, due, tried);
    // A window that has ended since is kept with a later time, or each run would ask for it.
    const hasEnded = known && isBeforeEnd(known.loaded_at, unit) !== isBeforeEnd(host().now(), unit);
    const isSame = known?.content_sha256 === staged.manifest.content_sha256;
    if (isSame && !hasEnded && !context.reload) {
      await ledger.setUnit(unit, 'published', tried.attempts, null);
      return outcome('unchanged', stagedCounts(staged), null);
    }
    const counts = await context.loads.load(context, staged, planned.pipeline, tried.attempts);
    return outcome('loaded', counts, null);
  } catch (thrown) {
    // The error that ended the unit from outside says more than the resulting error of its work.
    const cause = context.signal.aborted ? context.signal.reason : thrown;
    const error = nameFullDisk(skipIfMissing(planned, toCrawlhouseError(cause)), settings, name);
    await abandonExport(context, name, error);
    // An incomplete package is useless, and its space is needed.
    if (error.code === 'disk' && !staged) await removeFolders(unitFolders(settings.state_dir, name));
    const status = error.kind === 'refused' ? 'refused' : error.kind === 'skip' ? 'skipped' : 'failed';
    const ended = outcome(status, staged ? stagedCounts(staged) : null, error);
    if (isFailure(error)) await ledger.setUnit(unit, status, tried.attempts, ended.report.error);
    return ended;
  }
}

/**
 * Whether a unit has failed by an error. One that was interrupted stays where it was, as after a kill, and is due; what
 * becomes of one that another process has now, that process notes.
 */
export function isFailure({ kind, code }: CrawlhouseError): boolean {
  return kind !== 'interrupted' && code !== 'lease_lost';
}

/** The format of a unit before its fields are known. */
function knownFormat(option: RouteOption | undefined): string | null {
  return option === undefined || option.cheaper !== undefined ? null : option.format;
}

/** How far a unit came, also where an error ended it. */
interface Tried {
  attempts: number;
  chosen: ChosenRoute | null;
}

/**
 * The package of a unit: one that another process or an earlier run has staged, or a new one.
 *
 * @param tried is kept current
 */
async function obtainPackage(context: UnitContext, due: UnitToRun, tried: Tried): Promise<StagedPackage> {
  const { planned, options, stagedByOther } = due;
  const { unit, name } = planned;
  const { ledger } = context;
  if (stagedByOther?.result instanceof CrawlhouseError) throw stagedByOther.result;
  const there =
    stagedByOther?.result ?? (context.reload ? undefined : await leftoverPackage(context, planned, options));
  if (there) {
    const { attempts, columns, counts } = there.manifest;
    if (stagedByOther) tried.attempts = attempts;
    context.meter.opened(name, counts.reported, columns.length);
    context.meter.received(name, counts.received);
    await ledger.setUnit(unit, 'staged', attempts, null);
    context.events?.note('staged', name, { rows: counts.staged });
    await ledger.claimExport(name, context.runId);
    return there;
  }
  const isOfLinks = planned.pipeline.source.data_type === 'links';
  if (planned.restore) await context.unarchiver.restore(unit.source.id, planned.restore, isOfLinks);
  else await context.unarchiver.idle(unit.source.id);
  const onChosen = (chosen: ChosenRoute): void => {
    tried.chosen = chosen;
  };
  const fresh = await inSpan('stage', {}, () =>
    (context.steps?.stage ?? stageUnit)(context, { ...due, onChosen }, async (state, attempt) => {
      tried.attempts = attempt;
      await ledger.setUnit(unit, state, attempt, null);
    }),
  );
  await ledger.setUnit(unit, 'staged', tried.attempts, null);
  context.events?.note('staged', name, { rows: fresh.manifest.counts.staged });
  return { folder: fresh.folders.package, manifest: fresh.manifest };
}

/** A plain 403 on log monitoring is a project without that feature (wire-facts.md, "403"): no reason to end the run. */
function skipIfMissing({ unit }: PlannedUnit, error: CrawlhouseError): CrawlhouseError {
  if (unit.source.kind !== 'log_monitoring' || error.code !== 'forbidden') return error;
  return new CrawlhouseError('missing_feature', error.message, { cause: error });
}

/** Whether a package of this format is one that the option allows: `--format` may have asked for one that loses values. */
function mayBring(option: RouteOption, format: string, { columns }: Manifest): boolean {
  const fields = columns.map(({ field, type, arity }) => ({ name: field, type, arity }));
  return format === option.format || format === chooseFormat(option, fields).format;
}

/** A package that a killed run had finished but not loaded. */
async function leftoverPackage(
  context: RunContext,
  planned: PlannedUnit,
  options: readonly RouteOption[],
): Promise<StagedPackage | undefined> {
  // Sources that are requested again may change. Only the package of a finished source is still current.
  if (planned.refresh) return undefined;
  const folder = unitFolders(context.settings.state_dir, planned.name).package;
  if (!host().files.existsSync(join(folder, 'manifest.json'))) return undefined;
  try {
    const found = await readPackage(folder);
    const { base_url, route, format, filter, definition, ended_at } = found.manifest.source;
    const sameSource =
      base_url === context.settings.base_url &&
      (ended_at ?? null) === planned.ended_at &&
      options.some((one) => one.route === route && mayBring(one, format, found.manifest)) &&
      stringifyJson(filter) === stringifyJson(planned.oql) &&
      (definition === undefined || definition === pipelineDefinition(planned.pipeline));
    if (
      sameSource &&
      found.manifest.name === planned.name &&
      // The service may have corrected a held unit since.
      found.manifest.content_sha256 !== context.holds.get(found.manifest.name)?.content_sha256 &&
      found.manifest.counts.rejected === 0
    ) {
      context.logger.info('package of an earlier run found', { unit: found.manifest.name });
      return found;
    }
  } catch (error) {
    context.logger.warn('package of an earlier run is broken, extracting again', {
      folder,
      error: String(error),
    });
  }
  return undefined;
}
