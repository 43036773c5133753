import { join } from 'node:path';
import { type Connection, type Database, text } from '../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { timestamp } from '../../core/host/host.ts';
import type { RowFiles } from '../../engines/engine.ts';
import { openEngine } from '../../engines/open-engine.ts';
import type { Pipeline, SchemaChangeRule } from '../../project/model/pipeline.ts';
import type { PreparedLoad } from '../../project/model/prepared-load.ts';
import type { EngineAddress } from '../../project/settings/settings.ts';
import { planRawTable, type RawTablePlan } from '../../state/catalogue/raw/raw-table.ts';
import { RAW_META_COLUMNS } from '../../state/catalogue/schema.ts';
import { metaValues, partsOf, unitValues, withLoadMemory } from '../load/load-package.ts';
import type { StagedPackage } from '../load/read-package.ts';
import { columnContracts, typeRules } from '../load/refuse-drift.ts';
import { type KnownTable, readTables } from './known-tables.ts';

interface LoadToWrite {
  readonly runId: string;
  readonly pipeline: Pipeline;
  /** The setting. */
  readonly schemaChange: SchemaChangeRule;
  readonly staged: StagedPackage;
  /** Reads what the run says of the tables; null where it says nothing. */
  readonly tables: () => Promise<string | null>;
}

/**
 * Writes the rows of packages into files of the engine, as the run would. The run registers a file if it has the columns,
 * types and values that it would write itself by then (docs/decisions/engines.md).
 */
export class LoadWriter implements AsyncDisposable {
  readonly #files: RowFiles;
  readonly #connection: Connection;
  #known: { readonly runId: string; readonly tables: ReadonlyMap<string, KnownTable> } | undefined;

  private constructor(files: RowFiles, connection: Connection) {
    this.#files = files;
    this.#connection = connection;
  }

  /** @returns null for a warehouse that only the run may write to */
  static async open(engine: EngineAddress, database: Database, folder: string): Promise<LoadWriter | null> {
    const opened = await openEngine(engine);
    if (opened.openFiles === null) return null;
    const connection = await database.connect();
    return new LoadWriter(await opened.openFiles(connection, join(folder, 'engine')), connection);
  }

  /**
   * Nothing else may run in the database meanwhile.
   *
   * @returns null for no rows, and for a unit that only the run can judge
   * @throws CrawlhouseError what the engine throws
   */
  async write(given: LoadToWrite, signal: AbortSignal): Promise<PreparedLoad | null> {
    const { runId, staged } = given;
    const { manifest } = staged;
    const from = partsOf(staged);
    const table = await this.#tableOf(given);
    if (from === null || table === undefined) return null;
    const plan = planOf(given, table);
    if (plan === null) return null;
    const loaded_at = timestamp();
    const meta = metaValues(manifest, runId, loaded_at);
    const { _unit, ...others } = meta;
    const types = new Map([
      ...table.tableColumns,
      ...Object.keys(others).map((name) => [name, RAW_META_COLUMNS[name as keyof typeof others]] as const),
      ...plan.targets.map(({ column, merged }) => [column, merged.type] as const),
    ]);
    types.delete('_unit');
    const { name } = manifest;
    const rows = {
      relation: `raw.${manifest.unit.dataset}`,
      name,
      unit: text(name),
      from,
      types,
      stored: table.stored,
      values: unitValues(plan, meta),
    };
    const put = await withLoadMemory(this.#connection, manifest, () => this.#files.put(rows, signal));
    return put && { ...put, loaded_at };
  }

  async #tableOf({ runId, staged, tables }: LoadToWrite): Promise<KnownTable | undefined> {
    const { dataset } = staged.manifest.unit;
    // The run publishes the schema of a table once the table exists.
    if (this.#known?.runId !== runId || !this.#known.tables.has(dataset)) {
      const said = await tables();
      this.#known = { runId, tables: said === null ? new Map() : readTables(said) };
    }
    return this.#known.tables.get(dataset);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection[Symbol.dispose]();
    await this.#files[Symbol.asyncDispose]();
  }
}

/** The plan of the run, if the table has stayed as it was; null where it refuses the package, and will say why. */
function planOf(
  { pipeline, schemaChange, staged: { manifest } }: LoadToWrite,
  table: KnownTable,
): RawTablePlan | null {
  const { columns = {}, schema_change: dataset = schemaChange } = pipeline;
  const contracts = { dataset, columns: columnContracts(columns) };
  const { unit } = manifest;
  const rule = typeRules(contracts, table.reads, unit.source.kind);
  try {
    return planRawTable(unit.dataset, manifest.columns, { ...table, rule });
  } catch (error) {
    if (error instanceof CrawlhouseError && error.code === 'contract_drift') return null;
    throw error;
  }
}
