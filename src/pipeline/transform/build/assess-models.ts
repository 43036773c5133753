import { createHash } from 'node:crypto';
import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { currentPartitions, partitionedModel } from '../../../project/sql/plan/partitions.ts';
import type { PlannedModel } from '../../../project/sql/plan/plan-models.ts';
import { changedPartitions } from '../../../state/catalogue/ops/ops-model-partitions.ts';
import { type BuildStamp, type BuiltModel, builtModels } from '../../../state/catalogue/ops/ops-models.ts';
import { type Build, decideBuild } from './decide-build.ts';
import { definitionOf, fingerprint, madeFrom, sourceVersions } from './model-state.ts';

export interface Assessed {
  readonly build: Build;
  readonly stamp: BuildStamp;
  readonly former: BuiltModel | undefined;
}

/** Takes one model after the other, in the order of the plan. */
export interface Assessor {
  /** Says what is to be done with a model. */
  readonly assess: (planned: PlannedModel) => Promise<Assessed>;
  /** Passes over a model that stays as it is, behind or not: what reads it is made from that. */
  readonly leave: (planned: PlannedModel) => void;
}

/**
 * Compares the models with their tables. Each model is assessed after the models before it. A model to build counts as
 * built, so assessing all models in turn shows what a run would do.
 *
 * @param changed sources that this run wrote, or `all` to make everything
 */
export async function assessModels(
  connection: Connection,
  changed: ReadonlySet<string> | 'all',
  runId: string,
): Promise<Assessor> {
  const before = await builtModels(connection);
  const versions = await sourceVersions(connection);
  const stamps = new Map<string, string>();
  const definitions = new Map<string, string>();
  const made = new Set<string>();
  const lookedAt = versions.all;

  const leave = ({ model }: PlannedModel): void => {
    const former = before.get(model.name);
    definitions.set(model.name, former?.definition ?? '');
    stamps.set(model.name, `${former?.fingerprint} ${former?.sources}`);
  };
  const assess = async (planned: PlannedModel): Promise<Assessed> => {
    const { name, kind } = planned.model;
    const definition = definitionOf(planned, definitions);
    const sources = madeFrom(planned, versions, stamps);
    const own = fingerprint(planned);
    const former = before.get(name);
    const partitioned = kind === 'table' ? partitionedModel(planned) : undefined;
    const comparable =
      partitioned && changed !== 'all' && former?.definition === definition ? partitioned : undefined;
    // Comparing the partitions of years takes a while. It is not needed if nothing was loaded or built since.
    const still = made.size === 0 && former?.looked_at === lookedAt;
    const build = decideBuild({
      all: changed === 'all',
      former,
      fingerprint: own,
      definition,
      sources,
      touched: changed !== 'all' && [...planned.sources].some((source) => changed.has(source)),
      modelsMade: [...planned.models].some((model) => made.has(model)),
      changes:
        comparable &&
        (still
          ? { behind: [], gone: [], stamps: new Map(), total: 0 }
          : await changedPartitions(connection, name, currentPartitions(comparable))),
    });
    // A reader of a partitioned model is behind when a partition was built, not when any source was loaded.
    const version = !partitioned
      ? sources
      : build.how === 'none' && former
        ? former.sources
        : hash(sources, runId);
    definitions.set(name, definition);
    stamps.set(name, `${own} ${version}`);
    const stamp = { fingerprint: own, definition, sources: version, lookedAt, runId };
    if (build.how !== 'none') made.add(name);
    return { build, stamp, former };
  };
  return { assess, leave };
}

function hash(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}
