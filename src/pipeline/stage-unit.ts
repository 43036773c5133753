import { rm } from 'node:fs/promises';
import { CrawlhouseError } from '../core/errors.ts';
import { type RetryPolicy, retry } from '../core/retry.ts';
import { Semaphore } from '../core/semaphore.ts';
import type { Landscape } from '../discover/discover.ts';
import type { PlannedUnit } from '../discover/plan-units.ts';
import { dataSourceOf } from '../discover/unit-source.ts';
import { reconcile } from '../model/counts.ts';
import type { Manifest } from '../model/manifest.ts';
import type { Download, RawPart } from '../model/raw-part.ts';
import { unitName } from '../model/unit.ts';
import { PackageBuilder, type StagedParts } from '../stage/package-builder.ts';
import { writeManifest } from '../stage/write-manifest.ts';
import { type ChosenRoute, pickRoute } from './choose-route.ts';
import type { UnitContext } from './context.ts';
import { openAggregates } from './open-aggregates.ts';
import { openExport } from './open-export.ts';
import { openList } from './open-list.ts';
import { describeRows, openRows } from './open-rows.ts';
import type { Source } from './source.ts';
import { resetFolders, type UnitFolders, unitFolders } from './unit-folders.ts';

const POLICY: RetryPolicy = { attempts: 4, baseMs: 500, maxMs: 60_000 };

/** What came of a unit before its load. */
export interface StagedUnit {
  readonly folders: UnitFolders;
  readonly manifest: Manifest;
}

/** A unit's rows, and the route that they come by. */
interface OpenedSource {
  readonly source: Source;
  readonly chosen: ChosenRoute;
}

/**
 * Extracts and stages a unit: from the service's count to a whole package on disk. A download that breaks is begun
 * anew; one that comes whole but with another number of rows than the service reports, once more. A route that is
 * refused gives way to the next one.
 *
 * @param options the routes that the unit may take, the preferred first
 * @throws CrawlhouseError retriable when the attempts are used up, `unreconciled`, `rejected_values`
 */
export async function stageUnit(
  context: UnitContext,
  planned: PlannedUnit,
  options: readonly ChosenRoute[],
  landscape: Landscape,
  onMove: (state: 'requested' | 'downloading', attempt: number) => void,
): Promise<StagedUnit> {
  const name = unitName(planned.unit);
  const folders = unitFolders(context.settings.state_dir, name);
  const logger = context.logger.with({ unit: name, stage: 'stage' });
  const startedAt = performance.now();
  let differences = 0;
  let left = options;
  return retry(
    async (attempt) => {
      // First, so that an attempt whose disk was full leaves room for what comes.
      await resetFolders(folders);
      onMove('requested', attempt);
      const requestedAt = new Date().toISOString();
      const opened = await openNext(context, planned, left, landscape, folders);
      const { source, chosen } = opened;
      left = opened.left;
      onMove('downloading', attempt);
      const { download, staged } = await stageParts(context, source, folders);
      const standing = source.update?.standing ?? 0;
      const counts = {
        reported: source.reported,
        received: download.rows + standing,
        staged: staged.staged + standing,
        rejected: staged.rejected,
      };
      refuseDifference(name, counts, differences++);
      const manifest: Manifest = {
        version: 1,
        unit: planned.unit,
        name,
        run_id: context.runId,
        source: {
          base_url: context.settings.base_url ?? '',
          route: chosen.route,
          format: chosen.format,
          filter: source.filter,
          reason: chosen.reason,
          requested_at: requestedAt,
          ended_at: planned.ended_at,
        },
        columns: [...staged.columns],
        parts: staged.parts,
        counts,
        rejects: [...staged.rejects],
        notes: [...staged.notes],
        ...(source.update ? { update: source.update } : {}),
        bytes: download.bytes,
        content_sha256: download.sha256,
        attempts: attempt,
        seconds: Math.round(performance.now() - startedAt) / 1000,
        created_at: new Date().toISOString(),
      };
      await writeManifest(folders.package, manifest);
      logger.debug('staged', { rows: counts.staged, bytes: download.bytes });
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

/** Opens the unit by the first of its routes that is not refused; the routes before it are left out from then on. */
async function openNext(
  context: UnitContext,
  planned: PlannedUnit,
  options: readonly ChosenRoute[],
  landscape: Landscape,
  folders: UnitFolders,
): Promise<OpenedSource & { readonly left: readonly ChosenRoute[] }> {
  let left = options;
  for (;;) {
    const opened = await openSource(context, planned, left, landscape, folders).catch((error: unknown) => {
      const others = error instanceof RouteRefused ? left.filter((one) => one !== error.chosen) : [];
      if (!(error instanceof RouteRefused) || others.length === 0) throw unwrapped(error);
      const reason = `${error.chosen.route} was refused: ${error.reason.message}`;
      context.logger.info('route refused, taking another', { unit: unitName(planned.unit), reason });
      left = others.map((one) => ({ ...one, reason }));
      return null;
    });
    if (opened) return { ...opened, left };
  }
}

/** The service or a store does not let a unit come this way. */
class RouteRefused extends Error {
  readonly chosen: ChosenRoute;
  readonly reason: CrawlhouseError;

  constructor(chosen: ChosenRoute, reason: CrawlhouseError) {
    super(reason.message);
    this.chosen = chosen;
    this.reason = reason;
  }
}

function unwrapped(error: unknown): unknown {
  return error instanceof RouteRefused ? error.reason : error;
}

async function openSource(
  context: UnitContext,
  planned: PlannedUnit,
  options: readonly ChosenRoute[],
  landscape: Landscape,
  folders: UnitFolders,
): Promise<OpenedSource> {
  const { client, settings, signal } = context;
  const data = dataSourceOf(planned.pipeline, planned.unit);
  if (data === null) {
    const chosen = pickRoute(options, null);
    const source =
      chosen.route === 'aggs'
        ? await openAggregates(client, context.rankings, planned, folders.raw, signal)
        : await openList(client, planned, landscape, folders.raw, signal);
    return { source, chosen };
  }
  const rows = await describeRows(client, context.toldFields, data, planned, signal);
  const chosen = pickRoute(options, rows.reported);
  await context.turn.move(chosen.route === 'export' ? chosen.store : null);
  try {
    if (chosen.route !== 'export')
      return { source: await openRows(client, rows, planned, chosen, settings, folders.raw, signal), chosen };
    return { source: await openExport(context, rows, planned, chosen, landscape, folders.raw), chosen };
  } catch (error) {
    if (error instanceof CrawlhouseError && ROUTE_REFUSALS.includes(error.code))
      throw new RouteRefused(chosen, error);
    throw error;
  }
}

/** Errors that say no to a route, and perhaps not to the next. */
const ROUTE_REFUSALS: readonly string[] = ['forbidden', 'missing_feature', 'wrong_state', 'store_refused'];

/** Stages each part while the next ones still come. */
async function stageParts(
  context: UnitContext,
  source: Source,
  folders: UnitFolders,
): Promise<{ download: Download; staged: StagedParts }> {
  const connect = () => context.database.connect();
  using builder = await PackageBuilder.create(connect, folders.package, source.catalogue);
  // So many of one unit, and the next unit's turn comes behind them.
  const lanes = new Semaphore(context.engine.plan.places);
  const staging: Promise<void>[] = [];
  let failed = false;
  const stage = async (part: RawPart): Promise<void> => {
    const convert = async (): Promise<void> => {
      if (!failed) await builder.addPart(part, context.signal);
    };
    try {
      await lanes.run(() =>
        part.format === 'parquet'
          ? context.engine.alone(convert)
          : context.engine.convert(source.catalogue.length, convert),
      );
      if (context.settings.keep_raw === 'never') await rm(part.path);
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  try {
    for (;;) {
      const next = await source.parts.next();
      if (next.done) {
        await Promise.all(staging);
        const staged = await builder.finish(next.value.header, context.signal);
        return { download: next.value, staged };
      }
      context.meter.received(next.value.rows);
      const work = stage(next.value);
      work.catch(() => {});
      staging.push(work);
      if (failed) await Promise.all(staging);
    }
  } finally {
    await source.parts.return(undefined as never);
    await Promise.allSettled(staging);
  }
}

/**
 * Holds the counts against each other. A clean end on a row's border looks whole, so a first difference is taken for a
 * cut; a second one is the service's own.
 */
function refuseDifference(name: string, counts: Manifest['counts'], earlier: number): void {
  const difference = reconcile({ ...counts, loaded: null, queryable: null });
  if (!difference) return;
  const message = `${name}: ${difference.leftCount} rows ${difference.left}, but ${difference.rightCount} ${difference.right}`;
  throw earlier === 0
    ? new CrawlhouseError('cut_short', message)
    : new CrawlhouseError('unreconciled', message, {
        hint: 'the unit keeps its former rows; the next run tries again',
      });
}
