import { randomUUID } from 'node:crypto';
import { type Connection, ident, relationTable, text } from '../../../../core/duckdb/duckdb.ts';
import type { LowerMemory } from '../../../../core/duckdb/lower-memory.ts';
import type { CatalogColumn } from '../../../../core/duckdb/table-columns.ts';
import type { Logger } from '../../../../core/logs/logger.ts';
import type { ModelPlace } from '../../../engines/model-engine.ts';
import { hasBuilds, withLoad } from '../../../project/sql/models/load-columns.ts';
import { currentPartitions, partitionedModel } from '../../../project/sql/plan/partitions.ts';
import type { PlannedModel } from '../../../project/sql/plan/plan-models.ts';
import { describedColumn } from '../../../project/sql/plan/wildcard-columns.ts';
import {
  forgetPartitions,
  recordPartitions,
  recordPartitionsUntested,
} from '../../../state/catalog/ops/ops-model-partitions.ts';
import { type BuildStamp, forgetModel, recordBuild } from '../../../state/catalog/ops/ops-models.ts';
import type { Build } from './assess-models.ts';

export interface MakeOptions {
  readonly stamp: BuildStamp;
  readonly present?: 'table' | 'view' | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Runs in the same transaction. */
  readonly onChange?: (() => Promise<void>) | undefined;
  /** The lower limit to try first. Without one, the model is built once, within the current limit. */
  readonly memory?: LowerMemory;
  readonly logger?: Logger;
}

/**
 * Builds a model as a whole or by partition, in one transaction with its comments, its row in `ops.models` and its
 * partitions in `ops.model_partitions`. A model that exceeds the lower memory limit is built again with the full limit.
 *
 * @returns the rows of a table, null for a view
 */
export async function makeModel(
  { connection, engine }: ModelPlace,
  planned: PlannedModel,
  build: Exclude<Build, { how: 'none' }>,
  { stamp, present, signal, onChange, memory, logger }: MakeOptions,
): Promise<number | null> {
  const { model } = planned;
  const partitioned = partitionedModel(planned);
  const changes = build.how === 'partitions' ? build.changes : 'all';
  for (let isFull = false; ; isFull = true) {
    await (isFull ? memory?.raise() : memory?.lower());
    try {
      await using transaction = await connection.begin();
      // Unique to this build: a partition that is built again has another `_load_id`.
      const id = hasBuilds(model) ? randomUUID() : null;
      const stamped = id === null ? planned : { ...planned, sql: withLoad(planned, id, Date.now()) };
      if (present && present !== model.kind) await drop(connection, model.name, present);
      const rows = await engine.make(stamped, changes === 'all' ? undefined : changes, signal);
      if (partitioned) {
        const current = currentPartitions(partitioned);
        await recordPartitions(connection, { model: model.name, current, build: id }, changes);
      } else await forgetPartitions(connection, model.name);
      // A changed header may mean changed tests, which every partition must pass.
      const isReworded = build.reason === 'words';
      if (isReworded) await recordPartitionsUntested(connection, model.name);
      if (changes === 'all' || isReworded) await connection.run(comments(planned).join(';'));
      await recordBuild(connection, model, rows, stamp);
      await onChange?.();
      await transaction.commit();
      return rows === null ? null : Number(rows);
    } catch (error) {
      if (isFull || !memory?.isTooLow(error)) throw error;
      logger?.info('model needs all of memory_limit', { stage: 'transform', model: model.name });
    } finally {
      if (isFull) await memory?.lower();
    }
  }
}

/**
 * Returns whether a view stays unchanged and only shows new rows. DuckDB stores the names and types of the view's
 * columns, which a source may have changed.
 */
export function isAsMade(
  { model, outputs }: PlannedModel,
  { reason }: Exclude<Build, { how: 'none' }>,
  columns: readonly CatalogColumn[] = [],
): boolean {
  if (model.kind !== 'view' || (reason !== 'sources' && reason !== 'models')) return false;
  const now = columns.map(({ name, type }) => [name, type]);
  return JSON.stringify(now) === JSON.stringify([...outputs]);
}

/** Drops the table or view of a model that `sql/` no longer contains. */
export async function dropModel(
  { connection, engine }: ModelPlace,
  name: string,
  { present, onChange }: Pick<MakeOptions, 'present' | 'onChange'>,
): Promise<void> {
  await connection.transaction(async () => {
    if (present) await drop(connection, name, present);
    await engine.drop(name);
    await forgetModel(connection, name);
    await forgetPartitions(connection, name);
    await onChange?.();
  });
}

async function drop(connection: Connection, name: string, kind: 'table' | 'view'): Promise<void> {
  await connection.run(`DROP ${kind} ${relationTable(name)}`);
}

function comments({ model, outputs }: PlannedModel): string[] {
  const name = relationTable(model.name);
  return [
    `COMMENT ON ${model.kind} ${name} IS ${text(model.description.trim())}`,
    ...[...outputs.keys()].map((column) => {
      const description = describedColumn(model, column) ?? '';
      return `COMMENT ON COLUMN ${name}.${ident(column)} IS ${text(description.trim())}`;
    }),
  ];
}
