import { CrawlhouseError } from '../../core/errors/errors.ts';
import { host, timestamp } from '../../core/host/host.ts';
import { longestDownload } from '../../core/net/limits.ts';
import { Semaphore } from '../../core/queue/semaphore.ts';
import { counted, durationText } from '../../core/text/amounts.ts';
import { type RetryPolicy, retry } from '../../core/time/retry.ts';
import type { Manifest } from '../../project/model/manifest.ts';
import type { PlannedUnit } from '../../project/model/planned-unit.ts';
import { reconcile } from '../../project/model/runs/counts.ts';
import type { Download, RawPart, Source } from '../../project/model/source.ts';
import { Unit } from '../../project/model/unit.ts';
import { pipelineDefinition } from '../../project/model/unit-source.ts';
import { limitsOf } from '../../project/settings/limits.ts';
import { TooManyRows } from '../routes/download/write-parts.ts';
import { type OpenedUnit, openUnit } from '../routes/open-unit.ts';
import { PackageBuilder, type StagedParts } from '../stage/package-builder.ts';
import { resetFolders, type UnitFolders, unitFolders, writeManifest } from '../stage/unit-folders.ts';
import type { StagedUnit, StagingContext, UnitToStage } from './run-context.ts';

const POLICY: RetryPolicy = { attempts: 4, baseMs: 500, maxMs: 60_000 };

/**
 * Extracts and stages a unit: from the service's count to a whole package on disk. A broken download is started again.
 * A complete download with another number of rows than reported is repeated once. If a route is refused, the next one
 * is tried.
 *
 * @throws CrawlhouseError retriable when the attempts are used up, `unreconciled`, `rejected_values`
 */
export async function stageUnit(
  context: StagingContext,
  { planned, options, inventory, onChosen }: UnitToStage,
  onMove: (state: 'requested' | 'downloading', attempt: number) => Promise<void>,
): Promise<StagedUnit> {
  const { name } = planned;
  refuseUnitName(planned);
  const folders = unitFolders(context.settings.state_dir, name);
  const logger = context.logger.with({ unit: name, stage: 'stage' });
  const startedAt = host().monotonic();
  let differences = 0;
  let left = options;
  return retry(
    async (attempt) => {
      // First, so that an attempt whose disk was full leaves room for what comes.
      await resetFolders(folders);
      await onMove('requested', attempt);
      const requestedAt = timestamp();
      const onRows = (rows: number): void => context.meter.received(name, rows);
      const toOpen = { planned, options: left, inventory, folder: folders.raw, onRows, onChosen };
      const late = new AbortController();
      const own = { ...context, signal: AbortSignal.any([context.signal, late.signal]) };
      const opened = await openUnit(own, toOpen);
      const { source } = opened;
      const most = Math.min(longestDownload(source.reported ?? 0, limitsOf(context.settings)), LONGEST_TIMER);
      using _clock = host().every(most, () => late.abort(tooLate(name, source.reported, most)));
      left = opened.left;
      await onMove('downloading', attempt);
      context.meter.opened(name, source.reported, source.fields.length);
      const parts = await stageParts(own, planned, source, folders).catch((error: unknown) => {
        late.signal.throwIfAborted();
        if (!(error instanceof TooManyRows)) throw error;
        const counts = { reported: source.reported, received: error.rows, staged: 0, rejected: 0 };
        refuseDifference(name, counts, source, differences++);
        throw error;
      });
      const counts = countsOf(source, parts);
      refuseDifference(name, counts, source, differences++);
      const tried = { attempt, requestedAt, seconds: Math.round(host().monotonic() - startedAt) / 1000 };
      const manifest = manifestOf(context, planned, { ...opened, ...parts, ...tried, counts });
      await writeManifest(folders.package, manifest);
      logger.debug('staged', { rows: counts.staged, bytes: manifest.bytes });
      return { folders, manifest };
    },
    {
      policy: POLICY,
      signal: context.signal,
      onRetry: (error, failures, delayMs) =>
        logger.warn('attempt failed, trying again', { error: error.message, failures, delay_ms: delayMs }),
    },
  );
}

/** What a timer can wait for, in milliseconds: 24 days. */
const LONGEST_TIMER = 2 ** 31 - 1;

function tooLate(name: string, rows: number | null, ms: number): CrawlhouseError {
  const message = `${name}: ${rows === null ? 'its rows' : counted(rows, 'row')} did not come in ${durationText(ms / 1000)} (limits.unit_time, limits.unit_rate)`;
  return new CrawlhouseError('timed_out', message, {
    hint: 'the next run tries again; limits.unit_time and limits.unit_rate allow more time',
  });
}

interface DownloadedParts {
  readonly download: Download;
  readonly staged: StagedParts;
}

/** Records that an update leaves as they were count on each side. */
function countsOf({ reported, update }: Source, { download, staged }: DownloadedParts): Manifest['counts'] {
  const unchanged = update?.unchanged ?? 0;
  return {
    reported,
    received: download.rows + unchanged,
    staged: staged.staged + unchanged,
    rejected: staged.rejected,
  };
}

/** What an attempt has brought, and how. */
interface Brought extends DownloadedParts, Pick<OpenedUnit, 'source' | 'chosen'> {
  readonly counts: Manifest['counts'];
  readonly attempt: number;
  readonly requestedAt: string;
  readonly seconds: number;
}

function manifestOf(
  { runId, settings }: StagingContext,
  planned: PlannedUnit,
  { source, chosen, download, staged, counts, attempt, requestedAt, seconds }: Brought,
): Manifest {
  return {
    version: 1,
    unit: planned.unit,
    name: planned.name,
    run_id: runId,
    source: {
      base_url: settings.base_url ?? '',
      route: chosen.route,
      format: chosen.format,
      filter: source.filter,
      definition: pipelineDefinition(planned.pipeline),
      reason: chosen.reason,
      requested_at: requestedAt,
      ended_at: planned.ended_at,
    },
    columns: [...staged.columns],
    parts: staged.parts,
    counts,
    rejects: [...staged.rejects],
    notes: [...staged.notes],
    fingerprint: staged.fingerprint,
    ...(source.update ? { update: source.update } : {}),
    bytes: download.bytes,
    content_sha256: download.sha256,
    attempts: attempt,
    seconds,
    ...(source.waited === undefined ? {} : { waited: source.waited }),
    created_at: timestamp(),
  };
}

/** The names of units are those of folders and rows: an id of the service that is none of ours to use is refused. */
function refuseUnitName({ unit, name }: PlannedUnit): void {
  const issue = Unit.safeParse(unit).error?.issues[0];
  if (!issue) return;
  const where = issue.path.join('.');
  throw new CrawlhouseError('contract_broken', `${JSON.stringify(name)}: ${where}: ${issue.message}`);
}

/** Stages each part while the next ones still come. */
async function stageParts(
  context: StagingContext,
  planned: PlannedUnit,
  source: Source,
  folders: UnitFolders,
): Promise<DownloadedParts> {
  const builder = await PackageBuilder.create(context.staging, folders.package, source.fields, {
    mostFields: limitsOf(context.settings).fields,
    ...(source.shown ? { shown: source.shown } : {}),
  });
  // At most this many parts of one unit wait, so that other units get their turn.
  const lanes = new Semaphore(context.engine.plan.places);
  const staging: Promise<void>[] = [];
  let failed = false;
  let rows = 0;
  const stage = async (part: RawPart): Promise<void> => {
    const convert = async (): Promise<void> => {
      if (!failed) await builder.addPart(part, context.signal);
    };
    try {
      await lanes.run(() =>
        part.format === 'parquet'
          ? context.engine.alone(convert)
          : context.engine.convert(source.fields.length, convert),
      );
      if (context.settings.keep_raw === 'never') await host().files.rm(part.path);
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  try {
    for (;;) {
      const next = await source.parts.next();
      if (next.done) {
        context.meter.unitPhase(planned.name, 'stage');
        context.events?.note('extracted', planned.name, { rows });
        await Promise.all(staging);
        const staged = await builder.finish(next.value.header, context.signal);
        await refuseRepeatedRows(context, planned, builder, { staged, key: source.key ?? [] });
        return { download: next.value, staged };
      }
      rows += next.value.rows;
      context.meter.received(planned.name, rows);
      const work = stage(next.value);
      // Its rejection is handled where all are awaited.
      work.catch(() => {});
      staging.push(work);
      if (failed) await Promise.all(staging);
    }
  } finally {
    await source.parts.return(undefined as never);
    await Promise.allSettled(staging);
  }
}

/** Checks that rows that came page by page have each key once. So none is missing. */
async function refuseRepeatedRows(
  { settings, signal }: StagingContext,
  { name, pipeline }: PlannedUnit,
  builder: PackageBuilder,
  { staged, key }: { readonly staged: StagedParts; readonly key: readonly string[] },
): Promise<void> {
  if (key.length === 0) return;
  const refuse = (problem: string): never => {
    throw new CrawlhouseError('unreconciled', `${name}: ${problem}`, {
      hint: 'the unit keeps its former rows; another route may bring it (docs/routes.md)',
    });
  };
  const found = await builder.repeatedKeys(staged, key, signal);
  const names = key.join(', ');
  if (found) {
    const { rows, keys, example, times } = found;
    refuse(`${rows} rows came page by page, but only ${keys} differ by ${names}; ${times} have ${example}`);
  }
  // Their keys are not known: a rejected row may be one that came before, in place of another.
  if (staged.rejected > 0 && (pipeline.on_reject ?? settings.on_reject) === 'quarantine')
    refuse(`rows came page by page, and ${staged.rejected} rejected ones can't be distinguished by ${names}`);
}

/**
 * Compares the counts. A download that is cut at the end of a row looks complete, so the first difference counts as a
 * cut. A second one is the service's own.
 */
function refuseDifference(
  name: string,
  counts: Manifest['counts'],
  { files }: Pick<Source, 'files'>,
  earlier: number,
): void {
  const difference = reconcile({ ...counts, loaded: null, queryable: null });
  if (!difference) return;
  const message = `${name}: ${difference.leftCount} rows ${difference.left}, but ${difference.rightCount} ${difference.right}${files ? ` in ${files}` : ''}`;
  throw earlier === 0
    ? new CrawlhouseError('cut_short', message)
    : new CrawlhouseError('unreconciled', message);
}
