import { z } from 'zod';
import { CrawlhouseError, toCrawlhouseError } from '../../core/errors/errors.ts';
import { Semaphore } from '../../core/queue/semaphore.ts';
import { jsonOf, stringifyJson } from '../../core/text/json.ts';
import { fieldRegistry } from '../../state/catalogue/ops/ops-unit-fields.ts';
import { rawTableColumns } from '../../state/catalogue/raw/raw-table.ts';
import type { RunContext } from '../unit/run-context.ts';
import type { PackageStore } from './package-store.ts';

/** A table of `raw`, and the one that holds its rows, as a run has found them. */
export type KnownTable = z.infer<typeof KnownTable>;

/**
 * Publishes the schemas of a run's tables to workers, so that they can write the loads: of those that exist at first, and
 * of each other one once its first unit is loaded. If that fails, workers still stage packages.
 */
export function knownTables(context: RunContext, packages: PackageStore, datasets: ReadonlySet<string>) {
  const told = new Set<string>();
  // Each list replaces the one before, so only one is written at a time.
  const turns = new Semaphore(1);
  const { settings, runId, engine, working, logger, signal } = context;
  const tell = async (): Promise<void> => {
    if (working.rows.isInCatalogue || datasets.size === 0) return;
    try {
      const tables = await engine.alone(() => describeTables(context, datasets));
      await packages.putTables(runId, stringifyJson(tables), settings.state_dir, signal);
      for (const dataset of Object.keys(tables)) told.add(dataset);
    } catch (thrown) {
      signal.throwIfAborted();
      logger.warn('workers only stage, and the run writes the loads', {
        error: toCrawlhouseError(thrown).message,
      });
    }
  };
  return {
    tell: () => turns.run(tell),
    loaded: (dataset: string) => turns.run(async () => (told.has(dataset) ? undefined : tell())),
  };
}

/** As JSON, for workers of the same version. Iceberg makes no table where files are, so only those that are there. */
export async function describeTables(
  {
    working: { connection, rows },
    fieldsRead,
    signal,
  }: Pick<RunContext, 'working' | 'fieldsRead' | 'signal'>,
  datasets: ReadonlySet<string>,
): Promise<Record<string, unknown>> {
  const tables: Record<string, unknown> = {};
  for (const dataset of datasets) {
    const stored = await rows.storedColumns(`raw.${dataset}`, signal);
    if (stored.size === 0) continue;
    tables[dataset] = {
      tableColumns: [...(await rawTableColumns(connection, dataset))],
      registry: [...(await fieldRegistry(connection, dataset))],
      reads: [...fieldsRead(dataset)],
      stored: [...stored],
    };
  }
  return tables;
}

const mapOf = <Value>(value: z.ZodType<Value>) =>
  z.array(z.tuple([z.string(), value])).transform((pairs) => new Map<string, Value>(pairs));
const KnownTable = z.object({
  tableColumns: mapOf(z.string()),
  registry: mapOf(z.string()),
  reads: mapOf(z.object({ type: z.string().nullable(), file: z.string() })),
  stored: mapOf(z.string()),
});
const Tables = z.record(z.string(), KnownTable);

/**
 * The reverse of `describeTables`, by dataset.
 *
 * @throws CrawlhouseError `bad_package` for a text that is none of it: others may write to the store
 */
export function readTables(text: string): ReadonlyMap<string, KnownTable> {
  const read = Tables.safeParse(jsonOf(text));
  if (!read.success) {
    const [issue] = read.error.issues;
    const place = issue?.path.join('.') || 'the text';
    throw new CrawlhouseError(
      'bad_package',
      `the tables of a run can't be read: ${place}: ${issue?.message}`,
      {
        hint: 'look who else writes below the prefix of packages; the run writes its tables again',
      },
    );
  }
  return new Map(Object.entries(read.data));
}
