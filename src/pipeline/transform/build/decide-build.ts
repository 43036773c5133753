import type { PartitionChanges } from '../../../state/catalogue/ops/ops-model-partitions.ts';

/** If so many partitions are behind, and half of all, a full build is faster. */
const MANY_PARTITIONS = 20;

/** The action for a model, and its reason. */
export type Build =
  | { readonly how: 'none' }
  | { readonly how: 'full'; readonly reason: BuildReason }
  | {
      readonly how: 'partitions';
      readonly reason: 'words' | 'partitions';
      readonly changes: PartitionChanges;
    };

export type BuildReason =
  /** It was asked for. */
  | 'all'
  /** It is not there, or is a table where it should be a view. */
  | 'missing'
  /** Its own SQL or header has changed. */
  | 'definition'
  /** The SQL of a model that it reads has changed, or the type of a column. */
  | 'reads'
  /** Something that it reads was loaded. */
  | 'sources'
  /** A model that it reads was made. */
  | 'models'
  /** So many of its partitions are behind that a full build is faster. */
  | 'many partitions';

export interface BuildInputs {
  readonly all: boolean;
  readonly former:
    | { readonly fingerprint: string; readonly definition: string; readonly sources: string }
    | undefined;
  /** Of all that is in its file. */
  readonly fingerprint: string;
  /** Of the SQL that its rows follow from, through all models that it reads, and the types of what they put out. */
  readonly definition: string;
  /** Of the data that it is made from. */
  readonly sources: string;
  /** Whether this run wrote a source that it reads. */
  readonly touched: boolean;
  /** Whether this run made a model that it reads. */
  readonly modelsMade: boolean;
  /** Of a partitioned table whose SQL has not changed. */
  readonly changes: (PartitionChanges & { readonly total: number }) | undefined;
}

/** Decides, without I/O, how to bring a model to the state that a full build would give it. */
export function decideBuild(inputs: BuildInputs): Build {
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
