import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from '../core/duckdb.ts';
import { CrawlhouseError, toCrawlhouseError } from '../core/errors.ts';
import { stringifyJson } from '../core/json.ts';
import type { Landscape } from '../discover/discover.ts';
import type { PlannedUnit } from '../discover/plan-units.ts';
import { loadPackage, recordRejects } from '../load/load-package.ts';
import { readPackage, type StagedPackage } from '../load/read-package.ts';
import type { Counts } from '../model/counts.ts';
import type { UnitReport, UnitStatus } from '../model/report.ts';
import { unitName } from '../model/unit.ts';
import type { LoadedUnit } from '../warehouse/loads.ts';
import { checkVolume } from './check-volume.ts';
import type { ChosenRoute } from './choose-route.ts';
import type { RunContext, UnitContext } from './context.ts';
import { NO_COUNTS } from './idle-report.ts';
import { standsStill } from './open-list.ts';
import { columnContracts } from './requested-fields.ts';
import { abandonExport } from './settle-export.ts';
import { stageUnit } from './stage-unit.ts';
import { removeFolders, unitFolders } from './unit-folders.ts';

/** What became of a unit, and the error when it was not loaded. */
export interface UnitOutcome {
  readonly report: UnitReport;
  readonly error: CrawlhouseError | null;
}

/**
 * Takes one unit from the service into the working copy. Never throws: what went wrong is in the outcome, so that the
 * other units go on.
 */
export async function runUnit(
  context: UnitContext,
  planned: PlannedUnit,
  options: readonly ChosenRoute[],
  landscape: Landscape,
  known: LoadedUnit | undefined,
): Promise<UnitOutcome> {
  const { unit } = planned;
  const { ledger, settings } = context;
  const startedAt = performance.now();
  let attempts = 0;
  let staged: StagedPackage | undefined;
  const outcome = (
    status: UnitStatus,
    counts: Counts | null,
    error: CrawlhouseError | null,
  ): UnitOutcome => ({
    error,
    report: {
      unit: unitName(unit),
      dataset: unit.dataset,
      source: unit.source,
      window: unit.window,
      route: (staged?.manifest.source.route as ChosenRoute['route'] | undefined) ?? options[0]?.route ?? null,
      format:
        (staged?.manifest.source.format as ChosenRoute['format'] | undefined) ?? options[0]?.format ?? null,
      reason: staged?.manifest.source.reason ?? null,
      status,
      counts: counts ?? NO_COUNTS,
      bytes: staged?.manifest.bytes ?? null,
      seconds: Math.round(performance.now() - startedAt) / 1000,
      attempts,
      error: error ? { code: error.code, message: error.message, hint: error.hint ?? null } : null,
    },
  });
  if (known && !context.reload && standsStill(planned, landscape)) return outcome('unchanged', null, null);
  try {
    staged = context.reload ? undefined : await leftoverPackage(context, planned, options);
    if (staged) {
      ledger.setUnit(unit, 'staged', staged.manifest.attempts, null);
      ledger.claimExport(unitName(unit), context.runId);
    } else {
      const { source } = planned.pipeline;
      if (planned.restore)
        await context.unarchiver.restore(unit.source.id, planned.restore, source.data_type === 'links');
      else await context.unarchiver.settled(unit.source.id);
      const fresh = await stageUnit(context, planned, options, landscape, (state, attempt) => {
        attempts = attempt;
        ledger.setUnit(unit, state, attempts, null);
      });
      staged = { folder: fresh.folders.package, manifest: fresh.manifest };
      ledger.setUnit(unit, 'staged', attempts, null);
    }
    const packaged = staged;
    if (known && !context.reload && known.content_sha256 === packaged.manifest.content_sha256) {
      ledger.setUnit(unit, 'published', attempts, null);
      return outcome('unchanged', stagedCounts(packaged), null);
    }
    const onReject = planned.pipeline.on_reject ?? settings.on_reject;
    const schemaChange = planned.pipeline.schema_change ?? settings.schema_change;
    // Alone, and so the one writer of the working copy.
    const counts = await context.engine.alone(async () => {
      if (packaged.manifest.counts.rejected > 0 && onReject === 'fail')
        await refuseRejects(context, packaged);
      const volume = await checkVolume(context, packaged.manifest);
      return loadPackage(context.working, await readPackage(packaged.folder), {
        runId: context.runId,
        schemaChange,
        columnContracts: columnContracts(planned.pipeline.columns),
        volume,
        signal: context.signal,
      });
    });
    ledger.setUnit(unit, 'loaded', attempts, null);
    return outcome('loaded', counts, null);
  } catch (thrown) {
    const error = skipIfMissing(planned, toCrawlhouseError(thrown));
    abandonExport(context, unitName(unit), error);
    // What is not whole is of no use, and its space is needed.
    if (error.code === 'disk' && !staged)
      await removeFolders(unitFolders(settings.state_dir, unitName(unit)));
    const status = error.kind === 'refused' ? 'refused' : error.kind === 'skip' ? 'skipped' : 'failed';
    const ended = outcome(status, staged ? stagedCounts(staged) : null, error);
    ledger.setUnit(unit, status, attempts, ended.report.error);
    return ended;
  }
}

/** A plain 403 on log monitoring is a project without that feature (wire-facts.md, "403"): no reason to end the run. */
function skipIfMissing({ unit }: PlannedUnit, error: CrawlhouseError): CrawlhouseError {
  if (unit.source.kind !== 'log_monitoring' || error.code !== 'forbidden') return error;
  return new CrawlhouseError('missing_feature', error.message, { cause: error });
}

/** A package that a killed run had finished but not loaded. */
async function leftoverPackage(
  context: RunContext,
  planned: PlannedUnit,
  options: readonly ChosenRoute[],
): Promise<StagedPackage | undefined> {
  // What is asked for again changes; only a finished source's package is still what the service holds.
  if (planned.refresh) return undefined;
  const folder = unitFolders(context.settings.state_dir, unitName(planned.unit)).package;
  if (!existsSync(join(folder, 'manifest.json'))) return undefined;
  try {
    const found = await readPackage(folder);
    const { base_url, route, format, filter, ended_at } = found.manifest.source;
    const sameSource =
      base_url === context.settings.base_url &&
      (ended_at ?? null) === planned.ended_at &&
      options.some((one) => one.route === route && one.format === format) &&
      stringifyJson(filter) === stringifyJson(planned.oql);
    if (
      sameSource &&
      found.manifest.name === unitName(planned.unit) &&
      found.manifest.counts.rejected === 0
    ) {
      context.logger.info('package of an earlier run found', { unit: found.manifest.name });
      return found;
    }
  } catch (error) {
    context.logger.warn('package of an earlier run is broken, extracting anew', {
      folder,
      error: String(error),
    });
  }
  return undefined;
}

/** Records the rejects of a unit that will not be loaded, and says where the first one stands. */
async function refuseRejects(context: RunContext, { folder, manifest }: StagedPackage): Promise<never> {
  const { connection } = context.working;
  await connection.transaction(async () => {
    await recordRejects(
      connection,
      manifest.name,
      manifest.unit.dataset,
      folder,
      manifest.rejects,
      context.runId,
    );
    await context.working.markDirty();
  });
  const files = manifest.rejects.map((file) => text(join(folder, file))).join(', ');
  const [first] = await connection.jsonRows(
    `SELECT * FROM read_parquet([${files}]) ORDER BY file, line LIMIT 1`,
  );
  const value = JSON.stringify(first?.value ?? null);
  const what = first?.field === null ? `line ${value}` : `${first?.field} = ${value}`;
  throw new CrawlhouseError(
    'rejected_values',
    `${manifest.name}: ${manifest.counts.rejected} of ${manifest.counts.received} rows rejected; ` +
      `${first?.file}:${first?.line}: ${what} ${first?.reason}`,
    { hint: 'ops.rejects has them all; on_reject: quarantine loads the other rows' },
  );
}

function stagedCounts({ manifest }: StagedPackage): Counts {
  return { ...manifest.counts, loaded: null, queryable: null };
}
