import { type Connection, ident, table, text } from '../../../core/duckdb.ts';
import { copiedRelations } from '../../../engines/trino/copied-relations.ts';
import type { SelectFrom } from '../../../engines/trino/definition.ts';
import type { TrinoRows } from '../../../engines/trino/trino-rows.ts';
import type { PartitionChanges } from '../../../state/catalogue/ops-model-partitions.ts';
import { referenceName } from '../plan/inspect-model.ts';
import {
  inPartitions,
  type PartitionedModel,
  partitionedModel,
  presentPartitions,
} from '../plan/partitions.ts';
import type { PlannedModel } from '../plan/plan-models.ts';
import { badModel, type SqlPlace } from '../sql-text/bad-model.ts';
import { findNonPortable } from '../sql-text/portable-sql.ts';
import { sqlReferences } from '../sql-text/sql-references.ts';
import { narrowed, running } from './duckdb-models.ts';
import type { ModelEngine, ModelQueries } from './model-engine.ts';
import { translateModel } from './translate-sql.ts';
import { renameTables, TrinoQueries } from './trino-queries.ts';

/** Partitions of one statement, whose text has at most a million characters. */
const AT_ONCE = 500;

/** Makes models in Trino from what the writer sees. Readers see them with the next publication. */
export class TrinoModels implements ModelEngine {
  readonly queries: ModelQueries;
  readonly #catalogue: Connection;
  readonly #rows: TrinoRows;

  constructor(catalogue: Connection, rows: TrinoRows) {
    this.#catalogue = catalogue;
    this.#rows = rows;
    this.queries = new TrinoQueries(catalogue, (selectFrom, signal) =>
      rows.rows(rows.resolve(selectFrom), signal),
    );
  }

  async check(plan: readonly PlannedModel[]): Promise<void> {
    for (const { model, tests } of plan) {
      const { incremental, file } = model;
      const at = (path: readonly PropertyKey[]): SqlPlace => ({ file, line: model.lineOf(path) });
      await this.#checkSql(model.sql, { file, line: model.sqlLine });
      if (incremental) await this.#checkSql(incremental.partitions, at(['incremental', 'partitions']));
      for (const test of tests) if (test.query !== null) await this.#checkSql(test.query, at(test.path));
    }
  }

  async settle(plan: readonly PlannedModel[], signal?: AbortSignal): Promise<void> {
    const read = plan.flatMap(({ sources, testSources }) => [...sources, ...testSources]);
    await this.#rows.settle(new Set(read), signal);
  }

  async local(planned: PlannedModel, signal?: AbortSignal): Promise<PlannedModel> {
    const { model, partitions } = planned;
    if (partitions === null) return planned;
    const { tables } = await sqlReferences(this.#catalogue, partitions, { file: model.file, line: 1 });
    const held = await copiedRelations(this.#catalogue);
    if (tables.every((one) => one.schema === '' || held.includes(referenceName(one)))) return planned;
    const made = `SELECT * FROM (${partitions.trim().replace(/;$/, '')}\n) AS made`;
    const columns = await this.#catalogue.rows<{ column_name: string; column_type: string }>(
      `DESCRIBE ${made}`,
    );
    const rows = await this.queries.jsonRows(made, [], signal);
    const texts = Object.fromEntries(columns.map((column) => [column.column_name, 'VARCHAR']));
    const values = columns.map(
      ({ column_name, column_type }) =>
        `CAST(${ident(column_name)} AS ${column_type}) AS ${ident(column_name)}`,
    );
    const given = `from_json(${text(JSON.stringify(rows))}, ${text(JSON.stringify([texts]))})`;
    return {
      ...planned,
      partitions: `SELECT ${values.join(', ')} FROM (SELECT unnest(${given}, recursive := true)) AS given`,
    };
  }

  make(
    planned: PlannedModel,
    changes: PartitionChanges | undefined,
    signal?: AbortSignal,
  ): Promise<bigint | null> {
    return running(planned.model, async () => {
      const { model, outputs } = planned;
      if (!changes) await this.#declare(planned);
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
        `SELECT count(*) FROM ${table(...model.name.split('.'))}`,
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
    const built = await presentPartitions(this.#catalogue, { by, ...rest });
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
      const sql = await narrowed(this.#catalogue, planned, partitioned, some);
      const select = await this.#select({ ...planned, sql }, inPartitions(partitioned, some));
      const partitions = { by: partitioned.by, built: some, gone: [] };
      await this.#rows.build({ relation, columns: outputs, select }, partitions, signal);
    }
    if (gone.length > 0) await this.#rows.drop(relation, signal, gone);
  }

  /** Gives the catalogue the columns of a model. */
  async #declare({ model, sql }: PlannedModel): Promise<void> {
    const rows = model.kind === 'table' ? `FROM (${sql}\n) WHERE false` : sql;
    await this.#catalogue.run(
      `CREATE OR REPLACE ${model.kind} ${table(...model.name.split('.'))} AS ${rows}`,
    );
  }

  /** A model's SELECT as Trino's, from what the writer sees. */
  async #select(planned: PlannedModel, condition?: string): Promise<string> {
    return this.#rows.resolve(await this.#selectFrom(planned, condition));
  }

  /**
   * A model's SELECT as Trino's.
   *
   * @param condition portable SQL that its rows are to meet
   * @returns from what Trino calls a relation
   */
  async #selectFrom({ model, sql, outputs }: PlannedModel, condition?: string): Promise<SelectFrom> {
    const made = condition === undefined ? sql : `SELECT * FROM (${sql}\n) AS made WHERE ${condition}`;
    const references = await sqlReferences(this.#catalogue, made, { file: model.file, line: model.sqlLine });
    return (nameOf) => translateModel(renameTables(made, references, nameOf), outputs);
  }

  async #checkSql(sql: string, start: SqlPlace): Promise<void> {
    const [first] = await findNonPortable(this.#catalogue, sql, start);
    if (!first) return;
    throw badModel(first, `does not run on Trino: ${first.rule}`, `write ${first.instead}`);
  }
}
