import { toCrawlhouseError } from '../core/errors.ts';

/** DuckDB's kinds of errors that come from the values that a statement reads, not from the statement or the machine. */
const OF_VALUES = /^(Conversion|Out of Range|Invalid Input|Constraint|Mismatch Type|Divide by Zero) Error/;

/** Whether an error is one that other values would not have brought about. Damage of the file is none. */
export function isDataError(error: unknown): boolean {
  const { code } = toCrawlhouseError(error);
  return (code === 'internal' || code === 'bad_model') && isOfValues(error);
}

function isOfValues(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return OF_VALUES.test(error.message) || isOfValues(error.cause);
}
