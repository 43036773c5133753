import { z } from 'zod';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { Semaphore } from '../../../core/queue/semaphore.ts';
import { jsonOf, stringifyJson } from '../../../core/text/json.ts';
import { fieldRegistry } from '../../state/catalog/ops/ops-unit-fields.ts';
import { rawTableColumns } from '../../state/catalog/raw/raw-table.ts';
import type { SharedContext } from '../unit/contexts.ts';
import type { PackageStore } from './package-store.ts';

/** A table of `raw`, and the table of its rows, as a run has found them. */
export type RunTable = z.infer<typeof RunTable>;

/**
 * Publishes the schemas of a run's tables to workers, so that they can write the loads: first those of existing tables,
 * then each new one after its first unit is loaded. If that fails, workers still stage packages.
 */
export function runTables(context: SharedContext, packages: PackageStore, datasets: ReadonlySet<string>) {
  const published = new Set<string>();
  // Each list replaces the previous one, so only one is written at a time.
  const turns = new Semaphore(1);
  const { settings, runId, engine, working, logger, signal } = context;
  const describeAlone = async () => {
    await using _alone = await engine.alone();
    return await describeTables(context, datasets);
  };
  const tell = async (): Promise<void> => {
    if (working.rows.isInCatalog || datasets.size === 0) return;
    try {
      const tables = await describeAlone();
      await packages.putTables(runId, stringifyJson(tables), settings.state_dir, signal);
      for (const dataset of Object.keys(tables)) published.add(dataset);
    } catch (thrown) {
      signal.throwIfAborted();
      logger.warn('workers only stage, and the run writes the loads', {
        error: toCrawlhouseError(thrown).message,
      });
    }
  };
  return {
    tell: () => turns.run(tell),
    loaded: (dataset: string) => turns.run(async () => (published.has(dataset) ? undefined : tell())),
  };
}

/**
 * Returns existing tables as JSON, for workers of the same version. Other tables are omitted, because Iceberg creates
 * no table where files already exist.
 */
export async function describeTables(
  {
    working: { connection, rows },
    fieldsRead,
    signal,
  }: Pick<SharedContext, 'working' | 'fieldsRead' | 'signal'>,
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
const RunTable = z.object({
  tableColumns: mapOf(z.string()),
  registry: mapOf(z.string()),
  reads: mapOf(z.object({ type: z.string().nullable(), file: z.string() })),
  stored: mapOf(z.string()),
});
const Tables = z.record(z.string(), RunTable);

/**
 * Parses the output of `describeTables` into tables by dataset.
 *
 * @throws CrawlhouseError `bad_package` for an invalid text, because others may write to the store
 */
export function readTables(text: string): ReadonlyMap<string, RunTable> {
  const read = Tables.safeParse(jsonOf(text));
  if (!read.success) {
    const [issue] = read.error.issues;
    const place = issue?.path.join('.') || 'the text';
    throw new CrawlhouseError(
      'bad_package',
      `the tables of a run cannot be read: ${place}: ${issue?.message}`,
      { hint: 'another program may write to the prefix of the packages; the run writes its tables again' },
    );
  }
  return new Map(Object.entries(read.data));
}
