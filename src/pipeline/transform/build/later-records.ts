import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { currentPartitions, partitionedModel } from '../../../project/sql/plan/partitions.ts';
import type { PlannedModel } from '../../../project/sql/plan/plan-models.ts';
import {
  changedPartitions,
  type PartitionChanges,
  recordPartitions,
} from '../../../state/catalogue/ops/ops-model-partitions.ts';
import { type BuildStamp, recordLooks, recordNewRows } from '../../../state/catalogue/ops/ops-models.ts';

/**
 * What a run notes of models that it need not make: of views before the next model is made, of the others at the end,
 * in one transaction each.
 */
export class LaterRecords {
  readonly #connection: Connection;
  readonly #onChange: (() => Promise<void>) | undefined;
  readonly #views = new Map<string, BuildStamp>();
  readonly #partitions = new Map<string, PartitionChanges>();
  readonly #looks = new Map<string, string>();

  constructor(connection: Connection, onChange: (() => Promise<void>) | undefined) {
    this.#connection = connection;
    this.#onChange = onChange;
  }

  /** A model is as it should be, with all that has been loaded. */
  look(name: string, { lookedAt }: BuildStamp): void {
    this.#looks.set(name, lookedAt);
  }

  /** A view shows new rows by itself, but its tests have to be run on them. */
  async newRows(planned: PlannedModel, stamp: BuildStamp): Promise<void> {
    const { name } = planned.model;
    this.#views.set(name, stamp);
    const partitioned = partitionedModel(planned);
    if (partitioned)
      this.#partitions.set(
        name,
        await changedPartitions(this.#connection, name, currentPartitions(partitioned)),
      );
  }

  /** Writes what is noted of views. */
  async writeViews(): Promise<void> {
    if (this.#views.size === 0) return;
    const connection = this.#connection;
    await connection.transaction(async () => {
      await recordNewRows(connection, this.#views);
      for (const [name, changes] of this.#partitions) await recordPartitions(connection, name, '', changes);
      await this.#onChange?.();
    });
    this.#views.clear();
    this.#partitions.clear();
  }

  async write(): Promise<void> {
    await this.writeViews();
    const [lookedAt] = this.#looks.values();
    if (lookedAt !== undefined) await recordLooks(this.#connection, [...this.#looks.keys()], lookedAt);
  }
}
