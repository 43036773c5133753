import { Database, type DuckdbSettings } from '../../core/duckdb/duckdb.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';
import type { Logger } from '../../core/logs/logger.ts';
import type { RunResult } from '../project/model/runs/run-result.ts';
import { reportedError, type UnitReport, unitReport } from '../project/model/runs/unit-report.ts';
import { loadPipelines } from '../project/settings/pipelines.ts';
import type { Settings } from '../project/settings/settings.ts';
import { checkParts } from './load/check-parts.ts';
import { type Package, readPackage } from './load/read-package.ts';
import { runSession } from './session.ts';
import { loadStaged, stagedCounts } from './unit/load-units.ts';

/**
 * Loads packages that any process on any machine has staged, like a run's own: with the dataset's pipeline, volume
 * checks, ledger, models, tests and publication.
 *
 * @throws CrawlhouseError `bad_package` when a package is incomplete or differs from its manifest, before anything is
 *   loaded
 */
export async function loadPackages(
  settings: Settings,
  folders: readonly string[],
  logger: Logger,
  signal: AbortSignal,
): Promise<RunResult> {
  const packages = await readPackages(settings, folders, signal);
  const pipelines = await loadPipelines(settings.projectDir);
  return runSession({ command: 'load', settings, logger, signal }, async (session) => {
    const { ledger } = session;
    const entries = await ledger.units('unpublished');
    const statuses = new Map(entries.map(({ unit, status }) => [unit, status]));
    const units: UnitReport[] = [];
    const errors: CrawlhouseError[] = [];
    for (const read of packages) {
      const { manifest, folder } = read;
      const { unit, attempts } = manifest;
      const startedAt = performance.now();
      let counts = stagedCounts(read);
      let error: CrawlhouseError | null = null;
      await ledger.discoverUnits([unit]);
      // A person who names a package of a dropped unit loads the unit again.
      if (statuses.get(manifest.name) === 'dropped') await ledger.setUnit(unit, 'discovered', 0, null);
      await ledger.setUnit(unit, 'staged', attempts, null);
      try {
        const pipeline = pipelines.find(({ dataset }) => dataset === unit.dataset);
        // The folder is not ours, and the previous packages may have taken hours.
        const staged = await readPackage(folder);
        counts = await loadStaged({ ...session, named: false, reload: false }, staged, pipeline);
      } catch (thrown) {
        error = toCrawlhouseError(signal.aborted ? signal.reason : thrown);
        errors.push(error);
      }
      const reported = error && reportedError(error);
      const status = error === null ? 'loaded' : error.kind === 'refused' ? 'refused' : 'failed';
      await ledger.setUnit(unit, status, attempts, reported);
      units.push(
        unitReport(unit, status, reported, {
          route: manifest.source.route,
          format: manifest.source.format,
          reason: manifest.source.reason ?? null,
          counts,
          bytes: manifest.bytes,
          seconds: Math.round(performance.now() - startedAt) / 1000,
          attempts,
        }),
      );
    }
    return { units, errors };
  });
}

/**
 * Checks every package completely against its manifest before the warehouse changes. Packages may be untrusted.
 */
async function readPackages(
  settings: DuckdbSettings,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<Package[]> {
  const packages: Package[] = [];
  const folderOf = new Map<string, string>();
  for (const folder of folders) {
    const staged = await readPackage(folder);
    const { name } = staged.manifest;
    const other = folderOf.get(name);
    if (other !== undefined) {
      throw new CrawlhouseError('bad_package', `${other} and ${folder} are both packages of ${name}`, {
        hint: 'name only one package: a package replaces all rows of its unit',
      });
    }
    folderOf.set(name, folder);
    packages.push(staged);
  }
  await using database = await Database.openIn(settings);
  using connection = await database.connect();
  for (const staged of packages) await checkParts(connection, staged, signal);
  return packages;
}
