import { join } from 'node:path';
import { parquetFiles } from '../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import type { WorkingCopy } from '../../engines/working-copy.ts';
import type { Manifest } from '../../project/model/manifest.ts';
import type { Pipeline } from '../../project/model/pipeline.ts';
import type { Counts } from '../../project/model/runs/counts.ts';
import { recordRejects } from '../../state/catalogue/ops/ops-rejects.ts';
import { checkVolume } from '../load/check-volume.ts';
import { type LoadOptions, loadPackage } from '../load/load-package.ts';
import { loadTogether } from '../load/load-together.ts';
import type { StagedPackage } from '../load/read-package.ts';
import { columnContracts } from '../load/refuse-drift.ts';
import type { Session } from './run-context.ts';

/** The part of a session that a load needs. */
export interface LoadContext
  extends Pick<
    Session,
    'settings' | 'runId' | 'working' | 'holds' | 'modelsVersion' | 'fieldsRead' | 'signal'
  > {
  /** A person named the crawl: an unusual number of rows is accepted. */
  readonly named: boolean;
  /** A person asked for the unit again, so held content is loaded too. */
  readonly reload: boolean;
}

/** A package to load as its pipeline asks for; without a pipeline of its dataset only the settings apply. */
interface StagedLoad {
  readonly context: LoadContext;
  readonly staged: StagedPackage;
  readonly pipeline: Pipeline | undefined;
}

/**
 * Loads a package as its pipeline asks for. Runs and `crawlhouse load` both come through here, so a package meets the
 * same contracts wherever it was staged. Its files were sealed or checked by the caller.
 *
 * @returns the counts, `queryable` still open
 * @throws CrawlhouseError `test_held`, `model_held`, `rejected_values`, `volume_held`, `contract_drift`, `unreconciled`
 */
export async function loadStaged(
  context: LoadContext,
  staged: StagedPackage,
  pipeline: Pipeline | undefined,
): Promise<Counts> {
  return loadPackage(context.working, staged, await acceptStaged({ context, staged, pipeline }, []));
}

/**
 * Loads small packages of one dataset as `loadStaged` loads each (`loadTogether`).
 *
 * @returns what became of each, in their order
 */
export async function loadStagedTogether(
  working: WorkingCopy,
  loads: readonly StagedLoad[],
): Promise<PromiseSettledResult<Counts>[]> {
  const joint = loads.map((load) => ({
    staged: load.staged,
    accept: async (earlier: readonly Manifest[]): Promise<LoadOptions> => {
      load.context.signal.throwIfAborted();
      return acceptStaged(load, earlier);
    },
  }));
  return loadTogether(working, joint);
}

/** @param earlier packages that come before it in the same transaction */
async function acceptStaged(
  { context, staged, pipeline }: StagedLoad,
  earlier: readonly Manifest[],
): Promise<LoadOptions> {
  const { settings, runId, signal } = context;
  const { manifest } = staged;
  refuseSame(context, staged);
  const onReject = pipeline?.on_reject ?? settings.on_reject;
  if (manifest.counts.rejected > 0 && onReject === 'fail') await refuseRejects(context, staged);
  const volume = await checkVolume(context, manifest, earlier);
  return {
    runId,
    schemaChange: pipeline?.schema_change ?? settings.schema_change,
    columnContracts: columnContracts(pipeline?.columns ?? {}),
    fieldsRead: context.fieldsRead(manifest.unit.dataset),
    volume,
    signal,
  };
}

export function stagedCounts({ manifest }: StagedPackage): Counts {
  return { ...manifest.counts, loaded: null, queryable: null };
}

/**
 * Holds a unit without loading it where the same content was held under the same models.
 *
 * @throws CrawlhouseError `test_held`, `model_held`
 */
function refuseSame({ holds, modelsVersion, reload }: LoadContext, { manifest }: StagedPackage): void {
  const hold = reload ? undefined : holds.get(manifest.name);
  if (hold?.content_sha256 !== manifest.content_sha256 || hold.models !== modelsVersion) return;
  const { code, message, hint } = hold.error;
  throw new CrawlhouseError(code, message, { hint });
}

/** Records the rejects of a unit that will not be loaded, and says where the first one stands. */
async function refuseRejects(context: LoadContext, staged: StagedPackage): Promise<never> {
  const { folder, manifest } = staged;
  const { connection } = context.working;
  await connection.transaction(async () => {
    await recordRejects(connection, staged, context.runId);
    await context.working.markDirty();
  });
  const files = manifest.rejects.map(({ file }) => join(folder, file));
  const [first] = await connection.jsonRows(
    `SELECT * FROM ${parquetFiles(files)} ORDER BY file, line LIMIT 1`,
  );
  const value = JSON.stringify(first?.value ?? null);
  const what = first?.field === null ? `line ${value}` : `${first?.field} = ${value}`;
  throw new CrawlhouseError(
    'rejected_values',
    `${manifest.name}: ${manifest.counts.rejected} of ${manifest.counts.received} rows rejected; ` +
      `${first?.file}:${first?.line}: ${what} ${first?.reason}`,
  );
}
