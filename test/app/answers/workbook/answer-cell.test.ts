import { expect, test } from 'vitest';
import { answerCell } from '../../../../src/app/answers/workbook/answer-cell.ts';
import { parseJsonAsWritten } from '../../../../src/core/text/json.ts';

const moment = (time: string, isDay = false) => ({ milliseconds: Date.parse(time), isDay });

test.each([
  ['1', 'BIGINT', 1],
  ['9007199254740991', 'BIGINT', 9007199254740991],
  ['9007199254740992', 'BIGINT', '9007199254740992'],
  ['-9007199254740993', 'HUGEINT', '-9007199254740993'],
  ['12.50', 'DECIMAL(18,2)', 12.5],
  ['0.1', 'DOUBLE', 0.1],
  ['null', 'BIGINT', null],
  ['true', 'BOOLEAN', true],
  ['""', 'VARCHAR', ''],
  ['"=1+1"', 'VARCHAR', '=1+1'],
  ['"2026-11-22"', 'VARCHAR', '2026-11-22'],
  ['"2026-11-22"', 'DATE', moment('2026-11-22', true)],
  ['"1900-02-28"', 'DATE', '1900-02-28'],
  ['"10000-01-01"', 'DATE', '10000-01-01'],
  ['"2026-11-22T10:00:00.123456Z"', 'TIMESTAMP WITH TIME ZONE', moment('2026-11-22T10:00:00.123Z')],
  ['"2026-11-22 10:00:00"', 'TIMESTAMP_S', moment('2026-11-22T10:00:00Z')],
  ['"infinity"', 'DATE', 'infinity'],
  ['"10:00:00"', 'TIME', '10:00:00'],
  ['["a","b"]', 'VARCHAR[]', '["a","b"]'],
  ['{"a":12345678901234567890}', 'STRUCT(a HUGEINT)', '{"a":12345678901234567890}'],
  ['[1]', 'JSON', '[1]'],
])('%s of type %s', (json, type, cell) => {
  expect(answerCell(parseJsonAsWritten(json), type)).toEqual(cell);
});
