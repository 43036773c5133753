import type { EngineAddress } from '../../project/settings/settings.ts';
import type { ParameterTexts } from './parameters.ts';
import type { RowsPage } from './result/page-of-rows.ts';

/** A statement that is to be written for the engine that has the rows. */
export interface StatementRequest {
  readonly sql: string;
  readonly parameters: ParameterTexts;
  readonly page?: RowsPage | undefined;
  readonly engine: Pick<EngineAddress, 'engine' | 'schemaPrefix'>;
}

export interface EngineStatement {
  readonly sql: string;
  /** As DuckDB names and types them. */
  readonly columns: readonly AnswerColumn[];
  /** Rows at the beginning that are not wanted. */
  readonly skip: number;
  /** The columns of the engine's answer that are wanted; null: all. */
  readonly picked: readonly number[] | null;
}

export interface AnswerColumn {
  readonly name: string;
  /** DuckDB's name of it. */
  readonly type: string;
}
