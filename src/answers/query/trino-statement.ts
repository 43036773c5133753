import type { RowsPage } from './page-of-rows.ts';
import type { ParameterTexts } from './parameters.ts';

/** A statement that is to be written for Trino. */
export interface PlanRequest {
  readonly sql: string;
  readonly parameters: ParameterTexts;
  readonly page?: RowsPage | undefined;
  /** Of the names of the schemas in Trino. */
  readonly prefix: string;
}

/** What Trino is asked for a statement of DuckDB. */
export interface TrinoStatement {
  readonly sql: string;
  /** As DuckDB names and types them. */
  readonly columns: readonly AnswerColumn[];
  /** Rows at the beginning that are not wanted. */
  readonly skip: number;
  /** The columns of Trino's answer that are wanted; null: all. */
  readonly picked: readonly number[] | null;
}

export interface AnswerColumn {
  readonly name: string;
  /** DuckDB's name of it. */
  readonly type: string;
}
