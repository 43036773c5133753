import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { host, timestamp } from '../../../core/host/host.ts';
import { runStep } from '../../../core/logs/telemetry.ts';
import { longestDownload } from '../../../core/net/download-limits.ts';
import { Semaphore } from '../../../core/queue/semaphore.ts';
import { counted, durationText } from '../../../core/text/amounts.ts';
import type { RetryOptions, RetryPolicy } from '../../../core/time/retry.ts';
import type { Download, DownloadFacts, Part } from '../../project/model/download.ts';
import type { Manifest } from '../../project/model/manifest.ts';
import { reconcile } from '../../project/model/runs/six-counts.ts';
import type { Task } from '../../project/model/task.ts';
import { Unit } from '../../project/model/unit.ts';
import { pipelineDefinition } from '../../project/model/unit-source.ts';
import { limitsOf } from '../../project/settings/limits.ts';
import type { Package } from '../load/read-package.ts';
import { TooManyRows } from '../routes/download/write-parts.ts';
import { openUnit } from '../routes/open-unit.ts';
import type { RouteOption } from '../routes/route.ts';
import { PackageBuilder, type PackageContent } from '../stage/package-builder.ts';
import { resetFolders, type UnitFolders, unitFolders, writeManifest } from '../stage/unit-folders.ts';
import type { StagingContext, StagingProgress } from './contexts.ts';

const POLICY: RetryPolicy = { attempts: 4, baseMs: 500, maxMs: 60_000 };

/**
 * Extracts and stages a unit, from the service's count to a complete package on disk. Restarts a broken download.
 * Repeats a complete download once if the number of rows differs from the reported number. If a route is refused, tries
 * the next one.
 *
 * @throws CrawlhouseError retriable when the attempts are used up, `unreconciled`, `rejected_values`
 */
export async function stageUnit(
  context: StagingContext,
  task: Task,
  options: readonly RouteOption[],
  { onMove, onChosen }: StagingProgress,
): Promise<Package> {
  const { name, unit, pipeline } = task;
  refuseUnitName(task);
  const { settings, meter } = context;
  const folders = unitFolders(settings.state_dir, name);
  const logger = context.logger.with({ unit: name, stage: 'stage' });
  const startedAt = host().monotonic();
  let differences = 0;
  let left = options;
  const stage = async (attempt: number): Promise<Package> => {
    // First, to free the space of an attempt whose disk was full.
    await resetFolders(folders);
    await onMove('requested', attempt);
    const requested_at = timestamp();
    const late = new AbortController();
    const own = { ...context, signal: AbortSignal.any([context.signal, late.signal]) };
    const onRows = (rows: number): void => meter.received(name, rows);
    const opened = await openUnit(own, task, left, { folder: folders.raw, onRows, onChosen });
    const { download, chosen } = opened;
    const { reported, fields, filter, update, waited } = download;
    const most = Math.min(longestDownload(reported ?? 0, limitsOf(settings)), LONGEST_TIMER);
    using _clock = host().every(most, () => late.abort(tooLate(name, reported, most)));
    left = opened.left;
    await onMove('downloading', attempt);
    meter.opened(name, reported, fields.length);
    const { facts, content } = await stageParts(own, task, download, folders).catch((error: unknown) => {
      late.signal.throwIfAborted();
      if (!(error instanceof TooManyRows)) throw error;
      const counts = { reported, received: error.rows, staged: 0, rejected: 0 };
      refuseDifference(name, counts, download, differences++);
      throw error;
    });
    const { staged, rejected, ...files } = content;
    // Unchanged records of an update count on each side.
    const unchanged = update?.unchanged ?? 0;
    const counts = { reported, received: facts.rows + unchanged, staged: staged + unchanged, rejected };
    refuseDifference(name, counts, download, differences++);
    const manifest: Manifest = {
      version: 1,
      unit,
      name,
      run_id: context.runId,
      source: {
        base_url: settings.base_url ?? '',
        route: chosen.route,
        format: chosen.format,
        filter,
        definition: pipelineDefinition(pipeline),
        reason: chosen.reason,
        requested_at,
        ended_at: task.ended_at,
      },
      ...files,
      counts,
      ...(update ? { update } : {}),
      bytes: facts.bytes,
      content_sha256: facts.sha256,
      attempts: attempt,
      seconds: Math.round(host().monotonic() - startedAt) / 1000,
      ...(waited === undefined ? {} : { waited }),
      created_at: timestamp(),
    };
    await writeManifest(folders.package, manifest);
    logger.debug('staged', { rows: counts.staged, bytes: manifest.bytes });
    return { folder: folders.package, manifest };
  };
  const onRetry: RetryOptions['onRetry'] = (error, failures, delayMs) =>
    logger.warn('attempt failed, trying again', { error: error.message, failures, delay_ms: delayMs });
  return runStep('stage', { signal: context.signal, policy: POLICY, onRetry }, stage);
}

/** The longest delay of a timer, in milliseconds: 24 days. */
const LONGEST_TIMER = 2 ** 31 - 1;

function tooLate(name: string, rows: number | null, ms: number): CrawlhouseError {
  const message = `${name}: ${rows === null ? 'its rows' : counted(rows, 'row')} did not arrive within ${durationText(ms / 1000)} (limits.unit_time, limits.unit_rate)`;
  return new CrawlhouseError('timed_out', message, {
    hint: 'the next run tries again; limits.unit_time and limits.unit_rate allow more time',
  });
}

/** Refuses an id of the service that is invalid in the names of units, which are used for folders and rows. */
function refuseUnitName({ unit, name }: Task): void {
  const issue = Unit.safeParse(unit).error?.issues[0];
  if (!issue) return;
  const where = issue.path.join('.');
  throw new CrawlhouseError('contract_broken', `${JSON.stringify(name)}: ${where}: ${issue.message}`);
}

/** Stages each part while the next ones are still downloading. */
async function stageParts(
  context: StagingContext,
  task: Task,
  download: Download,
  folders: UnitFolders,
): Promise<{ readonly facts: DownloadFacts; readonly content: PackageContent }> {
  const builder = await PackageBuilder.create(context.staging, folders.package, download.fields, {
    mostFields: limitsOf(context.settings).fields,
    ...(download.shown ? { shown: download.shown } : {}),
  });
  // At most this many parts of one unit wait, so that other units get their turn.
  const lanes = new Semaphore(context.engine.plan.places);
  const staging: Promise<void>[] = [];
  let failed = false;
  let rows = 0;
  const stage = async (part: Part): Promise<void> => {
    const convert = async (): Promise<void> => {
      if (!failed) await builder.addPart(part, context.signal);
    };
    try {
      using _lane = await lanes.take();
      if (part.format === 'parquet') {
        await using _alone = await context.engine.alone();
        await convert();
      } else await context.engine.convert(download.fields.length, convert);
      if (context.settings.keep_raw === 'never') await host().files.rm(part.path);
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  try {
    for (;;) {
      const next = await download.parts.next();
      if (next.done) {
        context.meter.unitPhase(task.name, 'stage');
        context.events?.note('extracted', task.name, { rows });
        await Promise.all(staging);
        const content = await builder.finish(next.value.header, context.signal);
        await refuseRepeatedRows(context, task, builder, { content, key: download.key ?? [] });
        return { facts: next.value, content };
      }
      rows += next.value.rows;
      context.meter.received(task.name, rows);
      const work = stage(next.value);
      // Its rejection is handled where all are awaited.
      work.catch(() => {});
      staging.push(work);
      if (failed) await Promise.all(staging);
    }
  } finally {
    await download.parts.return(undefined as never);
    await Promise.allSettled(staging);
  }
}

/** Checks that rows from pages have each key once, so that none is missing. */
async function refuseRepeatedRows(
  { settings, signal }: StagingContext,
  { name, pipeline }: Task,
  builder: PackageBuilder,
  { content, key }: { readonly content: PackageContent; readonly key: readonly string[] },
): Promise<void> {
  if (key.length === 0) return;
  const refuse = (problem: string): never => {
    throw new CrawlhouseError('unreconciled', `${name}: ${problem}`, {
      hint: 'the unit keeps its previous rows; try another route (docs/routes.md)',
    });
  };
  const repeated = await builder.repeatedKeys(content, key, signal);
  const names = key.join(', ');
  if (repeated) {
    const { rows, keys, example, times } = repeated;
    refuse(`${rows} rows arrived in pages, but only ${keys} differ in ${names}; ${times} have ${example}`);
  }
  // Their keys are unknown: a rejected row may repeat another one instead of a missing one.
  if (content.rejected > 0 && (pipeline.on_reject ?? settings.on_reject) === 'quarantine')
    refuse(
      `rows came page by page, and ${content.rejected} rejected ones can't be distinguished by ${names}`,
    );
}

/**
 * Compares the counts. A download that is cut off at the end of a row looks complete, so the first difference is
 * treated as a broken download. A second difference is attributed to the service.
 */
function refuseDifference(
  name: string,
  counts: Manifest['counts'],
  { files }: Download,
  earlier: number,
): void {
  const difference = reconcile({ ...counts, loaded: null, queryable: null });
  if (!difference) return;
  const message = `${name}: ${difference.leftCount} rows ${difference.left}, but ${difference.rightCount} ${difference.right}${files ? ` in ${files}` : ''}`;
  throw earlier === 0
    ? new CrawlhouseError('cut_short', message)
    : new CrawlhouseError('unreconciled', message);
}
