import { Database, type DuckdbSettings } from '../core/duckdb/duckdb.ts';
import { CrawlhouseError, toCrawlhouseError } from '../core/errors/errors.ts';
import type { Logger } from '../core/logs/logger.ts';
import { reportedError, type UnitReport, unitReport } from '../project/model/runs/report.ts';
import type { RunResult } from '../project/model/runs/run-result.ts';
import { loadPipelines } from '../project/settings/pipelines.ts';
import type { Settings } from '../project/settings/settings.ts';
import { checkParts } from './load/check-parts.ts';
import { readPackage, type StagedPackage } from './load/read-package.ts';
import { runSession } from './session.ts';
import { loadStaged, stagedCounts } from './unit/load-staged.ts';

/**
 * Loads packages that any process on any machine has staged, as a run loads its own: the dataset's pipeline, checks of
 * volume, ledger, models, tests and publication.
 *
 * @throws CrawlhouseError `bad_package` when one of them is not whole or not what its manifest says, before anything is
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
    const known = new Map((await ledger.units('unpublished')).map((one) => [one.unit, one.status]));
    const units: UnitReport[] = [];
    const errors: CrawlhouseError[] = [];
    for (const one of packages) {
      const { manifest } = one;
      const { unit, attempts } = manifest;
      const startedAt = performance.now();
      let counts = stagedCounts(one);
      let error: CrawlhouseError | null = null;
      await ledger.discoverUnits([unit]);
      // A person who names a package of a dropped unit loads the unit again.
      if (known.get(manifest.name) === 'dropped') await ledger.setUnit(unit, 'discovered', 0, null);
      await ledger.setUnit(unit, 'staged', attempts, null);
      try {
        const pipeline = pipelines.find(({ dataset }) => dataset === unit.dataset);
        // The folder is not ours, and the packages before it may have taken hours.
        const checked = await readPackage(one.folder);
        counts = await loadStaged({ ...session, named: false, reload: false }, checked, pipeline);
      } catch (thrown) {
        error = toCrawlhouseError(signal.aborted ? signal.reason : thrown);
        errors.push(error);
      }
      const said = error && reportedError(error);
      const status = error === null ? 'loaded' : error.kind === 'refused' ? 'refused' : 'failed';
      await ledger.setUnit(unit, status, attempts, said);
      units.push(
        unitReport(unit, status, said, {
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

/** Packages come from anywhere: all of each is checked against its manifest before the warehouse is touched. */
async function readPackages(
  settings: DuckdbSettings,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<StagedPackage[]> {
  const packages: StagedPackage[] = [];
  const folderOf = new Map<string, string>();
  for (const folder of folders) {
    const found = await readPackage(folder);
    const { name } = found.manifest;
    const other = folderOf.get(name);
    if (other !== undefined) {
      throw new CrawlhouseError('bad_package', `${other} and ${folder} are both packages of ${name}`, {
        hint: 'name one of them: a package replaces all rows of its unit',
      });
    }
    folderOf.set(name, folder);
    packages.push(found);
  }
  await using database = await Database.openIn(settings);
  using connection = await database.connect();
  for (const one of packages) await checkParts(connection, one, signal);
  return packages;
}
