import type { DataTest } from './data-tests.ts';
import type { Each, Incremental } from './model-header.ts';

type ModelKind = 'view' | 'table';

/** A declared table of `raw` or `ops`: the columns that the SQL uses and that may be missing, with their types. */
type Reads = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** A SELECT of crawl_id, project_id, url and why that stands within the SQL of a model. */
export interface ModelPart {
  readonly sql: string;
  readonly file: string;
  readonly sqlLine: number;
  /** Whether why is a condition: engines differ in what else they take for one. */
  readonly isCondition?: boolean;
}

/** A model as its file declares it. */
export interface Model {
  /** `mart.pages` */
  readonly name: string;
  readonly kind: ModelKind;
  /** What it is in an engine whose rows are not in the file; null: the same. */
  readonly elsewhere: 'table' | null;
  readonly description: string;
  /** The columns that make a row unique; null when none do. */
  readonly grain: readonly string[] | null;
  /** The description of each column. */
  readonly columns: ReadonlyMap<string, string>;
  readonly reads: Reads;
  /** The fields that the SQL is repeated for; null when it stands once. */
  readonly each: Each | null;
  /** How the model is partitioned; null when it is built as a whole. */
  readonly incremental: Incremental | null;
  readonly tests: readonly DataTest[];
  readonly sql: string;
  /** SELECTs of other files that the SQL is put together from (`sql/issues/`). */
  readonly parts: readonly ModelPart[];
  readonly file: string;
  /** The line of the file on which the SQL begins. */
  readonly sqlLine: number;
  /** The line of a key of the header. */
  lineOf(path: readonly PropertyKey[]): number;
}
