import { hash } from 'node:crypto';
import type { Connection } from '../../../../core/duckdb/duckdb.ts';
import { currentPartitions, partitionedModel } from '../../../project/sql/plan/partitions.ts';
import type { PlannedModel } from '../../../project/sql/plan/plan-models.ts';
import { loadVersions } from '../../../state/catalog/ops/ops-loads.ts';
import { changedPartitions, type PartitionChanges } from '../../../state/catalog/ops/ops-model-partitions.ts';
import { type BuildStamp, type BuiltModel, builtModels } from '../../../state/catalog/ops/ops-models.ts';

interface Assessed {
  readonly build: Build;
  readonly stamp: BuildStamp;
  readonly former: BuiltModel | undefined;
}

/** Assesses models one after the other, in the order of the plan. */
export interface Assessor {
  /** Returns what to do with a model. */
  readonly assess: (planned: PlannedModel) => Promise<Assessed>;
  /**
   * Skips a model that stays unchanged, whether or not it is out of date. Its readers are built from its current rows.
   */
  readonly leave: (planned: PlannedModel) => void;
}

/**
 * Compares the models with their tables. Models are assessed in order. A model that must be built is treated as built,
 * so assessing all models shows what a run would do.
 *
 * @param changed sources that this run wrote, or `all` to build everything
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
    // A reader of a partitioned model is out of date when a partition was built, not when any source was loaded.
    const version = !partitioned
      ? sources
      : build.how === 'none' && former
        ? former.sources
        : hash('sha256', `${sources}\n${runId}`);
    definitions.set(name, definition);
    stamps.set(name, `${own} ${version}`);
    const stamp = { fingerprint: own, definition, sources: version, lookedAt, runId };
    if (build.how !== 'none') made.add(name);
    return { build, stamp, former };
  };
  return { assess, leave };
}

/** Returns a hash that changes with anything that defines the model: its SQL, kind, descriptions or tests. */
function fingerprint({ model, sql, tests }: PlannedModel): string {
  const parts = [
    model.kind,
    sql,
    model.description,
    [...model.columns],
    tests.map((test) => [test.severity, test.sql]),
    model.incremental,
  ];
  return hash('sha256', JSON.stringify(parts));
}

/**
 * Returns a hash that changes when the rows of a model would, for the same data: its SQL, that of the models it reads,
 * or an output type of one of them. If a source gains a declared column, no earlier row changes.
 */
function definitionOf(
  { model, models, outputs }: PlannedModel,
  definitions: ReadonlyMap<string, string>,
): string {
  // A field under a wildcard changes no model that reads this one, because none can name it before it exists.
  const declared = [...outputs].filter(([name]) => model.columns.has(name));
  const reads = [...model.reads].map(([source, columns]) => [source, [...columns]]);
  const parts = [
    [model.kind, model.sql, reads, model.each, model.incremental, declared],
    [...models].map((name) => `${name} ${definitions.get(name) ?? ''}`).sort(),
  ];
  return hash('sha256', JSON.stringify(parts));
}

/**
 * Returns a short stamp of a model's inputs: the versions of its sources and the stamps of the models it reads. The
 * stamp is stored with the model, so that the run after a killed process knows which models are out of date.
 */
function madeFrom(
  { sources, models }: PlannedModel,
  versions: SourceVersions,
  stamps: ReadonlyMap<string, string>,
): string {
  const parts = [
    ...[...sources].map((source) => `${source} ${versions.of(source)}`),
    ...[...models].map((name) => `${name} ${stamps.get(name) ?? ''}`),
  ];
  return hash('sha256', parts.sort().join('\n'));
}

/** A short stamp of all loads so far. */
interface SourceVersions {
  /** Version of a table of `raw` or `ops`. */
  readonly of: (source: string) => string;
  /** Version of all sources. */
  readonly all: string;
}

async function sourceVersions(connection: Connection): Promise<SourceVersions> {
  const versions = await loadVersions(connection);
  const all = hash('md5', [...versions.values()].join());
  // Every load writes to `ops`.
  const of = (source: string): string =>
    source.startsWith('ops.') ? all : (versions.get(source.replace('raw.', '')) ?? '');
  return { of, all };
}

/** From this number of partitions on, if they are half of all, a full build is faster. */
const MANY_PARTITIONS = 20;

export type Build =
  | { readonly how: 'none' }
  | { readonly how: 'full'; readonly reason: BuildReason }
  | {
      readonly how: 'partitions';
      readonly reason: 'words' | 'partitions';
      readonly changes: PartitionChanges;
    };

export type BuildReason =
  /** It was requested. */
  | 'all'
  /** It does not exist, or is a table instead of a view. */
  | 'missing'
  /** Its own SQL or header has changed. */
  | 'definition'
  /** The SQL of a model that it reads has changed, or the type of a column. */
  | 'reads'
  /** One of its sources was loaded. */
  | 'sources'
  /** A model that it reads was built. */
  | 'models'
  /** So many of its partitions are out of date that a full build is faster. */
  | 'many partitions';

interface BuildInputs extends Pick<BuildStamp, 'fingerprint' | 'definition' | 'sources'> {
  readonly all: boolean;
  readonly former: BuiltModel | undefined;
  /** Whether this run wrote one of its sources. */
  readonly touched: boolean;
  /** Whether this run built a model that it reads. */
  readonly modelsMade: boolean;
  /** For a partitioned table with unchanged SQL. */
  readonly changes: (PartitionChanges & { readonly total: number }) | undefined;
}

/** Decides, without I/O, how to bring a model to the state of a full build. */
function decideBuild(inputs: BuildInputs): Build {
  const { former, changes } = inputs;
  if (inputs.all) return { how: 'full', reason: 'all' };
  if (!former) return { how: 'full', reason: 'missing' };
  const words = former.fingerprint !== inputs.fingerprint;
  if (!changes) {
    if (words) return { how: 'full', reason: 'definition' };
    if (former.definition !== inputs.definition) return { how: 'full', reason: 'reads' };
    if (inputs.touched || former.sources !== inputs.sources) return { how: 'full', reason: 'sources' };
    return inputs.modelsMade ? { how: 'full', reason: 'models' } : { how: 'none' };
  }
  const { total, ...rest } = changes;
  const count = rest.behind.length + rest.gone.length;
  if (count >= MANY_PARTITIONS && count * 2 >= total) return { how: 'full', reason: 'many partitions' };
  if (words) return { how: 'partitions', reason: 'words', changes: rest };
  return count > 0 ? { how: 'partitions', reason: 'partitions', changes: rest } : { how: 'none' };
}
