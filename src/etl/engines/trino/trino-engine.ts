import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Connection, ident, relationTable } from '../../../core/duckdb/duckdb.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import type { EngineAddress } from '../../project/settings/settings.ts';
import {
  inPartitions,
  type PartitionedModel,
  partitionedModel,
  presentPartitions,
} from '../../project/sql/plan/partitions.ts';
import type { PlannedModel } from '../../project/sql/plan/plan-models.ts';
import { sqlReferences } from '../../project/sql/text/sql-references.ts';
import type { PartitionChanges } from '../../state/catalog/ops/ops-model-partitions.ts';
import type {
  Engine,
  EngineWriter,
  PublishedQueries,
  RowFiles,
  SourcePlace,
  UnitReader,
  WriterPlace,
} from '../engine.ts';
import {
  all,
  copyToParquet,
  isKey,
  type MirroredTable,
  type MirrorPartition,
  type MirrorSource,
  PartitionRow,
  partitionsOf,
  selectPartitions,
} from '../mirror-sql.ts';
import type { ModelEngine, ModelQueries } from '../model-engine.ts';
import { narrowed, running } from '../narrow-model.ts';
import { checkPortable, declareModel, localPartitions } from '../portable-models.ts';
import { PortableQueries, renameTables, type SelectFrom } from '../portable-queries.ts';
import { sourceColumns } from '../source-columns.ts';
import { bringCatalog } from './bring-catalog.ts';
import { asTrino, type TrinoAddress } from './client/address.ts';
import { literal } from './client/literal.ts';
import { openTrinoBucket, openTrinoClient, openTrinoPlace } from './client/open-trino.ts';
import { RelationNames } from './client/relation-names.ts';
import { MODEL_SESSION } from './client/trino-client.ts';
import { examineTrino } from './examine-trino.ts';
import { selectRowsFile, writeRowsFile } from './rows/rows-file.ts';
import { TrinoRows } from './rows/trino-rows.ts';
import { trinoFiles } from './rows/write-load.ts';
import { translateModel, translateSql } from './trino-dialect.ts';

export function openTrinoEngine(address: EngineAddress): Engine {
  return new TrinoEngine(asTrino(address));
}

class TrinoEngine implements Engine {
  readonly #address: TrinoAddress;

  constructor(address: TrinoAddress) {
    this.#address = address;
  }

  async openFiles(connection: Connection, temporary: string): Promise<RowFiles> {
    const objects = await openTrinoBucket(this.#address);
    return trinoFiles(this.#address, { objects, connection, temporary });
  }

  async openWriter(
    { connection, stateDir, published, working }: WriterPlace,
    logger: Logger,
    signal?: AbortSignal,
  ): Promise<EngineWriter> {
    await using stack = new AsyncDisposableStack();
    const place = stack.use(await openTrinoPlace(this.#address, { connection, stateDir }));
    await bringCatalog(place, { path: published, workingPath: working }, logger, signal);
    const opened = stack.move();
    return {
      async begin(signal) {
        const rows = await TrinoRows.begin(place, signal);
        const models = new TrinoModels(connection, rows);
        return { rows, models, mirror: new TrinoMirror(connection, rows) };
      },
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  }

  async openUnits(place: SourcePlace): Promise<UnitReader> {
    const client = await openTrinoClient(this.#address);
    const names = new RelationNames(this.#address.schemaPrefix);
    return {
      async rowsOf(relation, unit, signal) {
        const { columns, values } = await sourceColumns(place, relation);
        const file = join(place.temporary, `${randomUUID()}.rows`);
        makeFolder(place.temporary);
        const remove = (): Promise<void> => rm(file, { force: true });
        const selected = columns.map(({ name }) => ident(name)).join(', ');
        const sql = `SELECT ${selected} FROM ${names.reader(relation)} WHERE _unit = ${literal(unit)}`;
        try {
          await writeRowsFile(client.pages(sql, {}, signal), file);
        } catch (error) {
          await remove();
          throw error;
        }
        return { values, from: `(${selectRowsFile(file, columns)}) AS moved`, [Symbol.asyncDispose]: remove };
      },
      [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
    };
  }

  async openQueries(catalog: Connection): Promise<PublishedQueries> {
    const client = await openTrinoClient(this.#address);
    const names = new RelationNames(this.#address.schemaPrefix);
    const queries = new PortableQueries(catalog, translateSql, (selectFrom, signal) =>
      client.rows(
        selectFrom((relation) => names.reader(relation)),
        { session: MODEL_SESSION },
        signal,
      ),
    );
    return { queries, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
  }

  examine(signal: AbortSignal) {
    return examineTrino(this.#address, signal);
  }
}

/** Reads rows as lines of JSON. DuckDB converts them to the types of the catalog. */
export class TrinoMirror implements MirrorSource {
  readonly #connection: Connection;
  readonly #rows: TrinoRows;

  constructor(connection: Connection, rows: TrinoRows) {
    this.#connection = connection;
    this.#rows = rows;
  }

  async partitions(table: MirroredTable, signal: AbortSignal): Promise<MirrorPartition[]> {
    const fingerprint = `to_hex(checksum(ROW(${table.columns.map(({ name }) => ident(name)).join(', ')})))`;
    const select = this.#rows.resolve((nameOf) => selectPartitions(table, fingerprint, nameOf(table.name)));
    return partitionsOf(table, typedRows(PartitionRow, await this.#rows.rows(select, signal)));
  }

  async write(
    table: MirroredTable,
    { key }: MirrorPartition,
    file: string,
    signal: AbortSignal,
  ): Promise<bigint> {
    const where = key.map(([column, value]) => isKey(column, literal(value)));
    const columns = table.columns.map(({ name }) => ident(name)).join(', ');
    const select = this.#rows.resolve(
      (nameOf) => `SELECT ${columns} FROM ${nameOf(table.name)} WHERE ${all(where)}`,
    );
    const lines = join(dirname(file), `${randomUUID()}.rows`);
    makeFolder(dirname(file));
    try {
      await this.#rows.writeLines(select, lines, signal);
      const from = `(${selectRowsFile(lines, table.columns)})`;
      return await this.#connection.run(copyToParquet(table, from, file), [], signal);
    } finally {
      await rm(lines, { force: true });
    }
  }
}

/** Maximum partitions in one statement, whose text has at most a million characters. */
const AT_ONCE = 500;

/** Builds models in Trino from the writer's view. Readers see them with the next publication. */
export class TrinoModels implements ModelEngine {
  readonly queries: ModelQueries;
  readonly #catalog: Connection;
  readonly #rows: TrinoRows;

  constructor(catalog: Connection, rows: TrinoRows) {
    this.#catalog = catalog;
    this.#rows = rows;
    this.queries = new PortableQueries(catalog, translateSql, (selectFrom, signal) =>
      rows.rows(rows.resolve(selectFrom), signal),
    );
  }

  check(plan: readonly PlannedModel[]): Promise<void> {
    return checkPortable(this.#catalog, plan, 'Trino');
  }

  async synchronize(plan: readonly PlannedModel[], signal?: AbortSignal): Promise<void> {
    const read = plan.flatMap(({ sources, testSources }) => [...sources, ...testSources]);
    await this.#rows.synchronize(new Set(read), signal);
  }

  local(planned: PlannedModel, signal?: AbortSignal): Promise<PlannedModel> {
    return localPartitions(this.#catalog, this.queries, planned, signal);
  }

  make(
    planned: PlannedModel,
    changes: PartitionChanges | undefined,
    signal?: AbortSignal,
  ): Promise<bigint | null> {
    return running(planned.model, async () => {
      const { model, outputs } = planned;
      if (!changes) await declareModel(this.#catalog, planned);
      if (model.kind === 'view') {
        await this.#rows.view(model.name, await this.#selectFrom(planned), signal);
        return null;
      }
      const partitioned = partitionedModel(planned);
      if (!partitioned) {
        const select = await this.#select(planned);
        return this.#rows.build({ relation: model.name, columns: outputs, select }, undefined, signal);
      }
      if (changes) await this.#makeSome(planned, partitioned, changes, signal);
      else await this.#makeAll(planned, partitioned, signal);
      return (await this.queries.scalar(
        `SELECT count(*) FROM ${relationTable(model.name)}`,
        [],
        signal,
      )) as bigint;
    });
  }

  drop(name: string, signal?: AbortSignal): Promise<void> {
    return this.#rows.drop(name, signal);
  }

  async #makeAll(
    planned: PlannedModel,
    { by, ...rest }: PartitionedModel,
    signal?: AbortSignal,
  ): Promise<void> {
    const relation = planned.model.name;
    const built = await presentPartitions(this.#catalog, { by, ...rest });
    const present = new Set(built);
    const gone = this.#rows.unitsOf(relation).filter((unit) => !present.has(unit));
    const select = await this.#select(planned);
    const partitions = { by, built, gone, isWhole: true };
    await this.#rows.build({ relation, columns: planned.outputs, select }, partitions, signal);
  }

  async #makeSome(
    planned: PlannedModel,
    partitioned: PartitionedModel,
    { behind, gone }: PartitionChanges,
    signal?: AbortSignal,
  ): Promise<void> {
    const { model, outputs } = planned;
    const relation = model.name;
    for (let at = 0; at < behind.length; at += AT_ONCE) {
      const some = behind.slice(at, at + AT_ONCE);
      const sql = await narrowed(this.#catalog, planned, { partitioned, behind: some });
      const select = await this.#select({ ...planned, sql }, inPartitions(partitioned, some));
      const partitions = { by: partitioned.by, built: some, gone: [] };
      await this.#rows.build({ relation, columns: outputs, select }, partitions, signal);
    }
    if (gone.length > 0) await this.#rows.drop(relation, signal, gone);
  }

  /** Returns a model's SELECT in Trino's SQL, from the writer's view. */
  async #select(planned: PlannedModel, condition?: string): Promise<string> {
    return this.#rows.resolve(await this.#selectFrom(planned, condition));
  }

  /**
   * Returns a model's SELECT in Trino's SQL.
   *
   * @param condition portable SQL that its rows must meet
   * @returns from Trino's name of a relation
   */
  async #selectFrom({ model, sql, outputs }: PlannedModel, condition?: string): Promise<SelectFrom> {
    const made = condition === undefined ? sql : `SELECT * FROM (${sql}\n) AS made WHERE ${condition}`;
    const references = await sqlReferences(this.#catalog, made, { file: model.file, line: model.sqlLine });
    return (nameOf) => translateModel(renameTables(made, references, nameOf), outputs);
  }
}
