import { toCrawlhouseError } from '../../../core/errors.ts';
import { TrinoFailure } from '../../../engines/trino/trino-error.ts';

/** DuckDB's kinds of errors that come from the values that a statement reads, not from the statement or the machine. */
const OF_VALUES = /^(Conversion|Out of Range|Invalid Input|Constraint|Mismatch Type|Divide by Zero) Error/;

/** The same of Trino's. */
const TRINO_OF_VALUES: readonly string[] = [
  'INVALID_CAST_ARGUMENT',
  'NUMERIC_VALUE_OUT_OF_RANGE',
  'DIVISION_BY_ZERO',
  'INVALID_FUNCTION_ARGUMENT',
];

/** Whether an error is one that other values would not have brought about. Damage of the file is none. */
export function isDataError(error: unknown): boolean {
  const { code } = toCrawlhouseError(error);
  return ['internal', 'bad_model', 'bad_query'].includes(code) && isOfValues(error);
}

function isOfValues(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TrinoFailure) return TRINO_OF_VALUES.includes(error.errorName);
  return OF_VALUES.test(error.message) || isOfValues(error.cause);
}
