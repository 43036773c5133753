import { toCrawlhouseError } from '../../core/errors/errors.ts';

/** DuckDB's kinds of errors that are caused by the values, not by the statement or the machine. */
const OF_VALUES = /^(Conversion|Out of Range|Invalid Input|Constraint|Mismatch Type|Divide by Zero) Error/;

/** Returns whether the data caused the error. A damaged file is not a data error. */
export function isDataError(error: unknown): boolean {
  const { code } = toCrawlhouseError(error);
  return ['internal', 'bad_model', 'bad_query'].includes(code) && isOfValues(error);
}

function isOfValues(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof EngineFailure) return error.isOfValues;
  return OF_VALUES.test(error.message) || isOfValues(error.cause);
}

/** An engine's report of a failed statement: the `cause` of a CrawlhouseError. */
export abstract class EngineFailure extends Error {
  /** Whether the values caused the failure, not the statement or the machine. */
  abstract readonly isOfValues: boolean;
  abstract readonly isTimeLimit: boolean;
}
