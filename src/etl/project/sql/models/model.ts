import type { Segmentation } from '../../settings/segments.ts';
import type { ColumnTypes } from '../segments/oql-condition.ts';
import type { SqlPlace } from '../text/bad-model.ts';
import type { DataTest } from './data-tests.ts';
import type { Each, Incremental } from './model-header.ts';

type ModelKind = 'view' | 'table';

/** A declared table of `raw` or `ops`: the columns that the SQL uses and that may be missing, with their types. */
type Reads = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** A SELECT of crawl_id, project_id, url and why within the SQL of a model. */
export interface ModelPart {
  readonly sql: string;
  readonly place: SqlPlace;
  /** Whether why is a condition. Engines differ in what else they accept as one. */
  readonly isCondition?: boolean;
}

/** Completes the SQL of a model once the columns of `mart.pages` are known (segments.yaml). */
interface ByPages {
  readonly segmentations: readonly Segmentation[];
  /** Returns the model with its SQL and its parts. */
  readonly complete: (columns: ColumnTypes) => Model;
}

export interface Model {
  /** `mart.pages` */
  readonly name: string;
  readonly kind: ModelKind;
  /** Its kind in an engine whose rows are not in the file; null for the same. */
  readonly materialize: 'table' | null;
  readonly description: string;
  /** The columns that make a row unique; null when none do. */
  readonly grain: readonly string[] | null;
  readonly columns: ReadonlyMap<string, string>;
  readonly reads: Reads;
  /** The fields that the SQL is repeated for; null when it is not repeated. */
  readonly each: Each | null;
  /** How the model is partitioned; null when it is built as a whole. */
  readonly incremental: Incremental | null;
  readonly tests: readonly DataTest[];
  readonly sql: string;
  /** SELECTs of other files that are part of the SQL (`sql/issues/`). */
  readonly parts: readonly ModelPart[];
  /** Completes a model whose SQL depends on the columns of `mart.pages`; else null. */
  readonly byPages: ByPages | null;
  readonly file: string;
  /** The line of the file on which the SQL begins. */
  readonly sqlLine: number;
  lineOf(path: readonly PropertyKey[]): number;
}

/** The type that models read a field as, and a file that declares it. */
export interface ReadField {
  /** Null if models read it as several types. */
  readonly type: string | null;
  readonly file: string;
}
