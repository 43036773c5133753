import type { Field } from '../../src/etl/project/model/field.ts';
import type { Family, Verdict } from './value-oracle.ts';

/** A value on its way, as it is written in the file, and what must become of it. */
export interface Cell {
  readonly written: string;
  readonly verdict: Verdict;
}

export interface ValueField extends Field {
  readonly family: Family;
  /** DuckDB type of the column in a Parquet file. */
  readonly column?: string;
}
