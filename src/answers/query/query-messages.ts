import type { ErrorCode } from '../../core/errors/error-codes.ts';
import type { StatementRequest } from './engine-statement.ts';
import type { RowsPage } from './page-of-rows.ts';
import type { ParameterTexts } from './parameters.ts';
import type { QueryOptions } from './query-warehouse.ts';
import type { TextOptions } from './write-result.ts';

/** The requests to the process that runs queries. */
export type QueryRequest =
  | ({ readonly kind: 'open' } & QueryOptions)
  | ({
      readonly kind: 'text';
      readonly sql: string;
      readonly parameters: ParameterTexts;
      readonly page?: RowsPage;
    } & TextOptions)
  | {
      readonly kind: 'parquet';
      readonly sql: string;
      readonly parameters: ParameterTexts;
      readonly output: string;
    }
  | ({ readonly kind: 'plan' } & StatementRequest)
  /** The last text has been written; the next one may come. */
  | { readonly kind: 'taken' };

/** Its answers: texts, then one of the others. */
export type QueryReply =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'opened'; readonly isCopy: boolean }
  | { readonly kind: 'done'; readonly rows: number }
  | {
      readonly kind: 'error';
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint: string | undefined;
    };
