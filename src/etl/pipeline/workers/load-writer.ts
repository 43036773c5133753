import { join } from 'node:path';
import { type Connection, type Database, text } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { timestamp } from '../../../core/host/host.ts';
import type { RowFiles } from '../../engines/engine.ts';
import { openEngine } from '../../engines/open-engine.ts';
import type { Pipeline, SchemaChangeRule } from '../../project/model/pipeline.ts';
import type { PreparedLoad } from '../../project/model/prepared-load.ts';
import type { EngineAddress } from '../../project/settings/settings.ts';
import { planRawTable, type RawTablePlan } from '../../state/catalog/raw/raw-table.ts';
import { RAW_META_COLUMNS } from '../../state/catalog/schema.ts';
import { metaValues, partsOf, unitValues, withLoadMemory } from '../load/load-package.ts';
import type { Package } from '../load/read-package.ts';
import { columnContracts, typeRules } from '../load/refuse-drift.ts';
import { type RunTable, readTables } from './run-tables.ts';

interface WriteRequest {
  readonly runId: string;
  readonly pipeline: Pipeline;
  /** The setting `schema_change`. */
  readonly schemaChange: SchemaChangeRule;
  readonly staged: Package;
  /** Reads the run's description of the tables; null if there is none. */
  readonly tables: () => Promise<string | null>;
}

/**
 * Writes the rows of packages to files of the engine, like the run would. The run registers a file if the file still
 * has the columns, types and values that the run would write (docs/decisions/engines.md).
 */
export class LoadWriter implements AsyncDisposable {
  readonly #files: RowFiles;
  readonly #connection: Connection;
  #tables: { readonly runId: string; readonly tables: ReadonlyMap<string, RunTable> } | undefined;

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
   * Writes the rows of a package. Nothing else may use the database meanwhile.
   *
   * @returns null for no rows, and for a unit that only the run can judge
   * @throws CrawlhouseError the engine's errors
   */
  async write(request: WriteRequest, signal: AbortSignal): Promise<PreparedLoad | null> {
    const { runId, staged } = request;
    const { manifest } = staged;
    const from = partsOf(staged);
    const table = await this.#tableOf(request);
    if (from === null || table === undefined) return null;
    const plan = planOf(request, table);
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

  async #tableOf({ runId, staged, tables }: WriteRequest): Promise<RunTable | undefined> {
    const { dataset } = staged.manifest.unit;
    // The run publishes the schema of a table once the table exists.
    if (this.#tables?.runId !== runId || !this.#tables.tables.has(dataset)) {
      const json = await tables();
      this.#tables = { runId, tables: json === null ? new Map() : readTables(json) };
    }
    return this.#tables.tables.get(dataset);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection[Symbol.dispose]();
    await this.#files[Symbol.asyncDispose]();
  }
}

/**
 * Returns the plan of the run if the table is unchanged, or null if the run refuses the package and reports why.
 */
function planOf(
  { pipeline, schemaChange, staged: { manifest } }: WriteRequest,
  table: RunTable,
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
