import { type Connection, table } from '../../core/duckdb/duckdb.ts';
import {
  inPartitions,
  type PartitionedModel,
  partitionedModel,
  presentPartitions,
} from '../../project/sql/plan/partitions.ts';
import type { PlannedModel } from '../../project/sql/plan/plan-models.ts';
import { sqlReferences } from '../../project/sql/text/sql-references.ts';
import type { PartitionChanges } from '../../state/catalogue/ops/ops-model-partitions.ts';
import type { ModelEngine, ModelQueries } from '../model-engine.ts';
import { narrowed, running } from '../narrow-model.ts';
import { checkPortable, declareModel, localPartitions } from '../portable-models.ts';
import { PortableQueries, renameTables, type SelectFrom } from '../portable-queries.ts';
import type { TrinoRows } from './rows/trino-rows.ts';
import { translateModel, translateSql } from './translate-sql.ts';

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
    this.queries = new PortableQueries(catalogue, translateSql, (selectFrom, signal) =>
      rows.rows(rows.resolve(selectFrom), signal),
    );
  }

  check(plan: readonly PlannedModel[]): Promise<void> {
    return checkPortable(this.#catalogue, plan, 'Trino');
  }

  async synchronize(plan: readonly PlannedModel[], signal?: AbortSignal): Promise<void> {
    const read = plan.flatMap(({ sources, testSources }) => [...sources, ...testSources]);
    await this.#rows.synchronize(new Set(read), signal);
  }

  local(planned: PlannedModel, signal?: AbortSignal): Promise<PlannedModel> {
    return localPartitions(this.#catalogue, this.queries, planned, signal);
  }

  make(
    planned: PlannedModel,
    changes: PartitionChanges | undefined,
    signal?: AbortSignal,
  ): Promise<bigint | null> {
    return running(planned.model, async () => {
      const { model, outputs } = planned;
      if (!changes) await declareModel(this.#catalogue, planned);
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
      const sql = await narrowed(this.#catalogue, planned, { partitioned, behind: some });
      const select = await this.#select({ ...planned, sql }, inPartitions(partitioned, some));
      const partitions = { by: partitioned.by, built: some, gone: [] };
      await this.#rows.build({ relation, columns: outputs, select }, partitions, signal);
    }
    if (gone.length > 0) await this.#rows.drop(relation, signal, gone);
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
}
