import { expect, test } from 'vitest';
import { TrinoFailure, trinoError } from '../../../../../src/etl/engines/trino/client/trino-error.ts';

const failureOf = (errorName: string, errorType: string) =>
  new TrinoFailure('q1', { errorName, errorType, message: 'no' });

test.each([
  ['PERMISSION_DENIED', 'USER_ERROR', 'engine_access'],
  ['USER_CANCELED', 'USER_ERROR', 'engine_failed'],
  ['ADMINISTRATIVELY_KILLED', 'USER_ERROR', 'engine_failed'],
  ['SYNTAX_ERROR', 'USER_ERROR', 'bad_query'],
  ['EXCEEDED_TIME_LIMIT', 'INSUFFICIENT_RESOURCES', 'query_limit'],
  ['ICEBERG_COMMIT_ERROR', 'EXTERNAL', 'engine_failed'],
])('%s of %s is %s', (name, type, code) => {
  expect(trinoError(failureOf(name, type))).toMatchObject({ code, message: `no (${name}, query q1)` });
});

test('a failure tells whether values or the time caused it, and where', () => {
  const faults = ['INVALID_CAST_ARGUMENT', 'EXCEEDED_TIME_LIMIT', 'SYNTAX_ERROR'].map((name) =>
    failureOf(name, 'USER_ERROR'),
  );
  expect(faults.map(({ isOfValues }) => isOfValues)).toEqual([true, false, false]);
  expect(faults.map(({ isTimeLimit }) => isTimeLimit)).toEqual([false, true, false]);
  const location = { lineNumber: 3, columnNumber: 4 };
  const body = { errorName: 'SYNTAX_ERROR', errorType: 'USER_ERROR', message: null, errorLocation: location };
  expect({ ...new TrinoFailure('q2', body), message: new TrinoFailure('q2', body).message }).toMatchObject({
    queryId: 'q2',
    errorName: 'SYNTAX_ERROR',
    errorType: 'USER_ERROR',
    line: 3,
    column: 4,
    message: 'no message',
  });
});
