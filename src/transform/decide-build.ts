import type { PieceChanges } from '../warehouse/ops-model-pieces.ts';

/** From so many pieces on, and half of all, making the model as a whole is the shorter way to the same rows. */
const MANY_PIECES = 20;

/** What is to be done with a model, and why. */
export type Build =
  | { readonly how: 'none' }
  | { readonly how: 'full'; readonly reason: BuildReason }
  | { readonly how: 'pieces'; readonly reason: 'words' | 'pieces'; readonly changes: PieceChanges };

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
  /** So many of its pieces are behind that it is made as a whole. */
  | 'many pieces';

/** What the decision on a model depends on. */
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
  /** Of a table that is made in pieces, whose rows still follow from the same SQL. */
  readonly changes: (PieceChanges & { readonly total: number }) | undefined;
}

/** Decides, without looking anywhere, how a model comes to stand as a run from nothing would make it. */
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
  if (count >= MANY_PIECES && count * 2 >= total) return { how: 'full', reason: 'many pieces' };
  if (words) return { how: 'pieces', reason: 'words', changes: rest };
  return count > 0 ? { how: 'pieces', reason: 'pieces', changes: rest } : { how: 'none' };
}
