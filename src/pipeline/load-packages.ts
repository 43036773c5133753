import type { Settings } from '../config/settings.ts';
import { CrawlhouseError, toCrawlhouseError } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import { loadPackage } from '../load/load-package.ts';
import { readPackage, type StagedPackage } from '../load/read-package.ts';
import type { UnitReport } from '../model/report.ts';
import { type RunResult, runSession } from './session.ts';

/**
 * Loads packages that any process on any machine has staged, then models, tests and publication as after a run.
 *
 * @throws CrawlhouseError `bad_package` when one of them is not whole, before anything is loaded
 */
export async function loadPackages(
  settings: Settings,
  folders: readonly string[],
  logger: Logger,
  signal: AbortSignal,
): Promise<RunResult> {
  const packages = await Promise.all(folders.map(readPackage));
  return runSession({ command: 'load', settings, logger, signal }, async ({ working, ledger, runId }) => {
    const units: UnitReport[] = [];
    const errors: CrawlhouseError[] = [];
    for (const one of packages) {
      const { manifest } = one;
      const startedAt = performance.now();
      let counts: UnitReport['counts'] = { ...manifest.counts, loaded: null, queryable: null };
      let error: CrawlhouseError | null = null;
      ledger.discoverUnits([manifest.unit]);
      ledger.setUnit(manifest.unit, 'staged', manifest.attempts, null);
      try {
        refuseRejects(one, settings.on_reject);
        counts = await loadPackage(working, one, { runId, schemaChange: settings.schema_change, signal });
      } catch (thrown) {
        error = toCrawlhouseError(thrown);
        errors.push(error);
      }
      const said = error ? { code: error.code, message: error.message, hint: error.hint ?? null } : null;
      ledger.setUnit(manifest.unit, error ? 'refused' : 'loaded', manifest.attempts, said);
      units.push({
        unit: manifest.name,
        dataset: manifest.unit.dataset,
        source: manifest.unit.source,
        window: manifest.unit.window,
        route: manifest.source.route,
        format: manifest.source.format,
        reason: manifest.source.reason ?? null,
        status: error ? 'refused' : 'loaded',
        counts,
        bytes: manifest.bytes,
        seconds: Math.round(performance.now() - startedAt) / 1000,
        attempts: manifest.attempts,
        error: said,
      });
    }
    return { units, errors };
  });
}

/** Packages say how many of their rows were rejected, but not what their maker thought of it. */
function refuseRejects({ manifest }: StagedPackage, onReject: Settings['on_reject']): void {
  const { rejected, received } = manifest.counts;
  if (rejected === 0 || onReject === 'quarantine') return;
  throw new CrawlhouseError('rejected_values', `${manifest.name}: ${rejected} of ${received} rows rejected`, {
    hint: 'on_reject: quarantine loads the other rows; the package has the rejected ones',
  });
}
