import { z } from 'zod';
import type { ErrorCode } from '../../../../core/errors/error-codes.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { EngineFailure } from '../../data-error.ts';

/** The error of a statement, as the protocol sends it. */
export const TrinoErrorBody = z.looseObject({
  message: z.string().nullish(),
  errorName: z.string(),
  errorType: z.string(),
  errorLocation: z.looseObject({ lineNumber: z.number(), columnNumber: z.number() }).nullish(),
});

const OF_VALUES: readonly string[] = [
  'INVALID_CAST_ARGUMENT',
  'NUMERIC_VALUE_OUT_OF_RANGE',
  'DIVISION_BY_ZERO',
  'INVALID_FUNCTION_ARGUMENT',
];

/** Trino's report of a failed statement: the `cause` of the CrawlhouseError. */
export class TrinoFailure extends EngineFailure {
  override readonly name = 'TrinoFailure';
  readonly queryId: string;
  /** For example `COLUMN_NOT_FOUND`. */
  readonly errorName: string;
  /** `USER_ERROR`, `INSUFFICIENT_RESOURCES`, `EXTERNAL` or `INTERNAL_ERROR`. */
  readonly errorType: string;
  /** From 1, in the statement as sent. */
  readonly line: number | undefined;
  readonly column: number | undefined;

  get isOfValues(): boolean {
    return OF_VALUES.includes(this.errorName);
  }

  get isTimeLimit(): boolean {
    return this.errorName === 'EXCEEDED_TIME_LIMIT';
  }

  constructor(queryId: string, error: z.output<typeof TrinoErrorBody>) {
    super(error.message ?? 'no message');
    this.queryId = queryId;
    this.errorName = error.errorName;
    this.errorType = error.errorType;
    this.line = error.errorLocation?.lineNumber;
    this.column = error.errorLocation?.columnNumber;
  }
}

/** Returns the error of a statement that failed in Trino. Its message names the query for operators. */
export function trinoError(failure: TrinoFailure): CrawlhouseError {
  const { message, errorName, queryId } = failure;
  // Most messages begin with the place.
  return new CrawlhouseError(codeOf(failure), `${message} (${errorName}, query ${queryId})`, {
    cause: failure,
  });
}

function codeOf({ errorName, errorType }: TrinoFailure): ErrorCode {
  if (errorName === 'PERMISSION_DENIED') return 'engine_access';
  // A user ended the query. The next run starts it again.
  if (errorName === 'USER_CANCELED' || errorName === 'ADMINISTRATIVELY_KILLED') return 'engine_failed';
  if (errorType === 'USER_ERROR') return 'bad_query';
  return errorType === 'INSUFFICIENT_RESOURCES' ? 'query_limit' : 'engine_failed';
}
