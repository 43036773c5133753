import { expect, test } from 'vitest';
import { type TypedRows, Warehouse } from '../../../../src/app/answers/query/warehouse.ts';
import { addAnswer } from '../../../../src/app/answers/workbook/add-answer.ts';
import { WorkbookWriter } from '../../../../src/core/xlsx/workbook-writer.ts';

test('rows that arrive in pieces are on one sheet, and are counted', async () => {
  const columns = [{ name: 'url', type: 'VARCHAR' }];
  const pieces: TypedRows[] = [
    { columns, rows: [['a'], ['b']] },
    { columns, rows: [['c'], ['d']] },
  ];
  const warehouse: Warehouse = Object.assign(Object.create(Warehouse.prototype), {
    async each(_asked: unknown, take: (rows: TypedRows) => Promise<void>) {
      for (const piece of pieces) await take(piece);
      return 4;
    },
  });
  let bytes = 0;
  const workbook = new WorkbookWriter(async (piece) => {
    bytes += piece.length;
  }, 4);
  const sheet = { name: 'Pages', sql: 'SELECT', parameters: new Map(), names: 'columns' } as const;
  expect(await addAnswer(workbook, warehouse, sheet, new AbortController().signal)).toBe(4);
  expect(await workbook.end()).toEqual(['the rows after 3 are on the sheet Pages (2)']);
  expect(bytes).toBeGreaterThan(0);
});
