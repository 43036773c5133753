import type { EngineAddress } from '../../../etl/project/settings/settings.ts';
import type { ParameterTexts } from './parameters.ts';
import type { RowsPage } from './result/page-of-rows.ts';

/** A statement to translate for the engine that stores the rows. */
export interface StatementRequest {
  readonly sql: string;
  readonly parameters: ParameterTexts;
  readonly page?: RowsPage | undefined;
  readonly engine: Pick<EngineAddress, 'engine' | 'schemaPrefix'>;
}

export interface EngineStatement {
  readonly sql: string;
  /** With the names and types of DuckDB. */
  readonly columns: readonly AnswerColumn[];
  /** Rows to skip at the beginning. */
  readonly skip: number;
  /** The required columns of the engine's answer; null means all. */
  readonly picked: readonly number[] | null;
}

export interface AnswerColumn {
  readonly name: string;
  /** DuckDB's name of the type. */
  readonly type: string;
}
