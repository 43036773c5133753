import { join } from 'node:path';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { host } from '../../../core/host/host.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import type { FormerLoad } from '../../project/model/former-load.ts';
import type { Manifest } from '../../project/model/manifest.ts';
import type { Counts } from '../../project/model/runs/six-counts.ts';
import {
  reportedError,
  type UnitReport,
  type UnitStatus,
  unitReport,
} from '../../project/model/runs/unit-report.ts';
import type { Task } from '../../project/model/task.ts';
import { isBeforeEnd } from '../../project/model/unit.ts';
import { pipelineDefinition } from '../../project/model/unit-source.ts';
import { nameFullDisk } from '../../project/settings/name-full-disk.ts';
import { type Package, readPackage } from '../load/read-package.ts';
import { chooseFormat } from '../routes/choose-format.ts';
import { abandonExport } from '../routes/export/reconcile-exports.ts';
import { isListUnchanged } from '../routes/list/list-route.ts';
import type { ChosenRoute, RouteOption } from '../routes/route.ts';
import { removeFolders, unitFolders } from '../stage/unit-folders.ts';
import type { UnitContext } from './contexts.ts';
import { stagedCounts } from './load-units.ts';
import { stageUnit } from './stage-unit.ts';

export interface UnitOutcome {
  readonly report: UnitReport;
  readonly error: CrawlhouseError | null;
  /** The stage in which the unit ended; undefined if an error outside of its stages ended it. */
  readonly stage: 'discover' | 'stage' | 'load' | undefined;
}

/** A unit that another process has staged, or failed to stage. */
export interface StagedByOther {
  /** Its package, or the reason why there is none. */
  readonly result: Package | CrawlhouseError;
  readonly attempts: number;
}

/** The known facts about a task before it begins. */
interface TaskFacts {
  /** The possible routes of the unit, preferred first. */
  readonly options: readonly RouteOption[];
  /** The warehouse's facts about the unit. */
  readonly former: FormerLoad | undefined;
  /** Set if another process has handled it. */
  readonly stagedByOther: StagedByOther | undefined;
}

/**
 * Runs one unit from the service to the working copy. If the unit fails, the outcome contains the error.
 *
 * @throws CrawlhouseError of the ledger, if the ledger cannot record the outcome
 */
export async function runUnit(
  context: UnitContext,
  task: Task,
  { options, former, stagedByOther }: TaskFacts,
): Promise<UnitOutcome> {
  const { unit, name } = task;
  const { ledger, settings, inventory } = context;
  const startedAt = host().monotonic();
  context.events?.begin(name);
  const tried: Tried = { attempts: stagedByOther?.attempts ?? 0, chosen: null };
  let staged: Package | undefined;
  let stage: UnitOutcome['stage'] = 'discover';
  const outcome = (
    status: UnitStatus,
    counts: Counts | null,
    error: CrawlhouseError | null,
  ): UnitOutcome => ({
    error,
    stage,
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
  if (former && !context.reload && isListUnchanged(task, inventory)) return outcome('unchanged', null, null);
  try {
    stage = 'stage';
    staged = await obtainPackage(context, task, { options, stagedByOther }, tried);
    // A window that has ended since is stored with a later time. Otherwise each run would request it.
    const hasEnded = former && isBeforeEnd(former.loaded_at, unit) !== isBeforeEnd(host().now(), unit);
    const isSame = former?.content_sha256 === staged.manifest.content_sha256;
    if (isSame && !hasEnded && !context.reload) {
      await ledger.setUnit(unit, 'published', tried.attempts, null);
      return outcome('unchanged', stagedCounts(staged), null);
    }
    stage = 'load';
    const counts = await context.loads.load(context, staged, task.pipeline, tried.attempts);
    return outcome('loaded', counts, null);
  } catch (thrown) {
    // The error that ended the unit from outside is more useful than the resulting error of its work.
    const cause = context.signal.aborted ? context.signal.reason : thrown;
    const error = nameFullDisk(skipIfMissing(task, toCrawlhouseError(cause)), settings, name);
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
 * Returns whether an error means that a unit has failed. An interrupted unit stays in its state, as after a killed
 * process, and remains due. If another process has taken over a unit, that process records the result.
 */
export function isFailure({ kind, code }: CrawlhouseError): boolean {
  return kind !== 'interrupted' && code !== 'lease_lost';
}

/** Returns the format of a unit before its fields are known. */
function knownFormat(option: RouteOption | undefined): string | null {
  return option === undefined || option.cheaper !== undefined ? null : option.format;
}

/** The progress of a unit, also where an error ended it. */
interface Tried {
  attempts: number;
  chosen: ChosenRoute | null;
}

/**
 * Returns the package of a unit: staged by another process or an earlier run, or newly staged.
 *
 * @param tried is kept current
 */
async function obtainPackage(
  context: UnitContext,
  task: Task,
  { options, stagedByOther }: Pick<TaskFacts, 'options' | 'stagedByOther'>,
  tried: Tried,
): Promise<Package> {
  const { unit, name } = task;
  const { ledger } = context;
  if (stagedByOther?.result instanceof CrawlhouseError) throw stagedByOther.result;
  const earlier =
    stagedByOther?.result ?? (context.reload ? undefined : await leftoverPackage(context, task, options));
  if (earlier) {
    const { attempts, columns, counts } = earlier.manifest;
    if (stagedByOther) tried.attempts = attempts;
    context.meter.opened(name, counts.reported, columns.length);
    context.meter.received(name, counts.received);
    await ledger.setUnit(unit, 'staged', attempts, null);
    context.events?.note('staged', name, { rows: counts.staged });
    await ledger.claimExport(name, context.runId);
    return earlier;
  }
  const isOfLinks = task.pipeline.source.data_type === 'links';
  if (task.restore) await context.unarchiver.restore(unit.source.id, task.restore, isOfLinks);
  else await context.unarchiver.idle(unit.source.id);
  const staged = await (context.steps?.stage ?? stageUnit)(context, task, options, {
    onChosen(chosen) {
      tried.chosen = chosen;
    },
    async onMove(state, attempt) {
      tried.attempts = attempt;
      await ledger.setUnit(unit, state, attempt, null);
    },
  });
  await ledger.setUnit(unit, 'staged', tried.attempts, null);
  context.events?.note('staged', name, { rows: staged.manifest.counts.staged });
  return staged;
}

/**
 * Converts an error. A plain 403 on log monitoring means a project without that feature (wire-facts.md, "403"), which
 * is no reason to end the run.
 */
function skipIfMissing({ unit }: Task, error: CrawlhouseError): CrawlhouseError {
  if (unit.source.kind !== 'log_monitoring' || error.code !== 'forbidden') return error;
  return new CrawlhouseError('missing_feature', error.message, { cause: error });
}

/**
 * Returns whether the option allows a package of this format. `--format` may have requested a format that loses values.
 */
function mayBring(option: RouteOption, format: string, { columns }: Manifest): boolean {
  const fields = columns.map(({ field, type, arity }) => ({ name: field, type, arity }));
  return format === option.format || format === chooseFormat(option, fields).format;
}

/** Returns a package that a killed run had finished but not loaded. */
async function leftoverPackage(
  { settings, holds, logger }: Pick<UnitContext, 'settings' | 'holds' | 'logger'>,
  task: Task,
  options: readonly RouteOption[],
): Promise<Package | undefined> {
  // Sources that are requested repeatedly may change. Only the package of a finished source is still current.
  if (task.refresh) return undefined;
  const folder = unitFolders(settings.state_dir, task.name).package;
  if (!host().files.existsSync(join(folder, 'manifest.json'))) return undefined;
  try {
    const left = await readPackage(folder);
    const { manifest } = left;
    const { base_url, route, format, filter, definition, ended_at } = manifest.source;
    const sameSource =
      base_url === settings.base_url &&
      (ended_at ?? null) === task.ended_at &&
      options.some((option) => option.route === route && mayBring(option, format, manifest)) &&
      stringifyJson(filter) === stringifyJson(task.oql) &&
      (definition === undefined || definition === pipelineDefinition(task.pipeline));
    if (
      sameSource &&
      manifest.name === task.name &&
      // The service may have corrected a quarantined unit since.
      manifest.content_sha256 !== holds.get(manifest.name)?.content_sha256 &&
      manifest.counts.rejected === 0
    ) {
      logger.info('package of an earlier run found', { unit: manifest.name });
      return left;
    }
  } catch (error) {
    logger.warn('package of an earlier run is broken, extracting again', { folder, error: String(error) });
  }
  return undefined;
}
