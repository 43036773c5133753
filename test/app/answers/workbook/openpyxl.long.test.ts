import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { writeAnswer } from '../../../../src/app/answers/workbook/write-answer.ts';
import { installPython } from '../../../support/python-environment.ts';
import { queryProcess, someWarehouse } from '../query/some-warehouse.ts';

const READER = join(import.meta.dirname, '../../../support/read-xlsx.py');
const run = promisify(execFile);
const { signal } = new AbortController();

const SQL = `
  SELECT 1 AS "whole", 9007199254740993 AS large, 12.5::DECIMAL(9, 2) AS decimal, true AS flag, DATE '2026-11-22' AS day,
    TIMESTAMPTZ '2026-11-22 10:00:01+02' AS moment, ['a', 'b'] AS list, '=HYPERLINK("x")' AS formula, NULL AS nothing,
    '' AS empty, 'a' || chr(1) || 'b' AS control, '中文 é' AS words, 'two' || chr(10) || 'lines' AS lines`;

test('openpyxl reads each type, the bold and frozen head, and the filter', async ({ skip }) => {
  const python = await installPython('openpyxl', ['openpyxl==3.1.5']).catch((error: Error) => error);
  if (python instanceof Error) return skip(python.message);
  const { folder, path } = await someWarehouse('CREATE TABLE t AS SELECT 1 AS n');
  const warehouse = await queryProcess(path);
  const file = join(folder, 'rows.xlsx');
  const sheet = { name: 'All types', sql: SQL, parameters: new Map(), names: 'columns' } as const;
  expect(await writeAnswer(file, warehouse, sheet, signal)).toEqual({ rows: 1, notes: [] });
  const { stdout } = await run(join(python, 'bin', 'python'), [READER, file]);
  const [read] = JSON.parse(stdout);
  expect(read).toMatchObject({ name: 'All types', frozen: 'A2', filter: 'A1:M2' });
  expect(read.bold).toEqual(Array(13).fill(true));
  expect(read.widths.every((width: number) => width >= 8)).toBe(true);
  expect(read.rows[1]).toEqual([
    1,
    '9007199254740993',
    12.5,
    true,
    { time: '2026-11-22T00:00:00', format: 'yyyy\\-mm\\-dd' },
    { time: '2026-11-22T08:00:01', format: 'yyyy\\-mm\\-dd\\ hh:mm:ss' },
    '["a","b"]',
    '=HYPERLINK("x")',
    null,
    expect.toBeOneOf(['', null]),
    'a\ufffdb',
    '中文 é',
    'two\nlines',
  ]);
  // A formula would have the type f.
  expect(read.types[1][7]).not.toBe('f');
});
