import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SheetCell } from '../../../src/core/xlsx/cell.ts';
import { WorkbookWriter } from '../../../src/core/xlsx/workbook-writer.ts';
import { readXlsx, unzip } from '../../support/read-xlsx.ts';

type Rows = readonly (readonly SheetCell[])[];

/** Writes sheets with the columns a, b, … */
async function written(sheets: Readonly<Record<string, Rows>>, mostRows?: number) {
  const pieces: Uint8Array[] = [];
  const workbook = new WorkbookWriter(async (bytes) => void pieces.push(bytes), mostRows);
  for (const [name, rows] of Object.entries(sheets)) {
    const sheet = workbook.begin(name, columnsOf(rows));
    await sheet.add(rows);
    await sheet.end();
  }
  const notes = await workbook.end();
  return { bytes: Buffer.concat(pieces), notes };
}

const columnsOf = (rows: Rows): string[] => (rows[0] ?? ['']).map((_, index) => `column ${index}`);

const cells = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => (one === 0 ? 0 : one)),
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.constantFrom('', ' ', '=1+1', '_x0041_', '_x005F_x0041_', '\r\n', '&<>"\'', ']]>', '\ud83d\ude00'),
);

test('a workbook is read back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc
        .integer({ min: 1, max: 30 })
        .chain((columns) =>
          fc.array(fc.array(cells, { minLength: columns, maxLength: columns }), { maxLength: 12 }),
        ),
      async (rows) => {
        const { bytes } = await written({ rows });
        const [sheet] = readXlsx(bytes);
        const width = rows[0]?.length ?? 1;
        const read = sheet?.rows.slice(1).map((row) => [...row, ...Array(width).fill(null)].slice(0, width));
        expect(read).toEqual(rows.map((row) => row.map(legal)));
        expect(sheet?.rows[0]).toEqual(columnsOf(rows));
      },
    ),
    { numRuns: 60 },
  );
});

/** Characters that XML cannot contain are replaced. */
function legal(cell: SheetCell): SheetCell {
  if (typeof cell !== 'string') return cell;
  const isIllegal = (one: string): boolean =>
    (one < ' ' && !'\t\n\r'.includes(one)) || /[\ufffe\uffff]/.test(one);
  return [...cell].map((one) => (isIllegal(one) ? '\ufffd' : one)).join('');
}

test('a lone surrogate is replaced, and long text is truncated between characters', async () => {
  const long = `${'x'.repeat(32_766)}\ud83d\ude00`;
  const { bytes, notes } = await written({ a: [['\ud800!', long, 'y'.repeat(32_767)]] });
  const [sheet, more] = readXlsx(bytes);
  expect(sheet?.rows[1]).toEqual(['\ufffd!', 'x'.repeat(32_766), 'y'.repeat(32_767)]);
  expect(notes).toEqual(['1 text cut after 32,767 characters, the most of a cell']);
  expect(more).toEqual({ name: 'Notes', rows: [['Note'], [notes[0]]] });
});

test('rows beyond the limit continue on further sheets, each with a head and a filter', async () => {
  const rows = Array.from({ length: 5 }, (_, index) => [index]);
  const { bytes, notes } = await written({ list: rows }, 3);
  expect(readXlsx(bytes).slice(0, 3)).toEqual([
    { name: 'list', rows: [['column 0'], [0], [1]] },
    { name: 'list (2)', rows: [['column 0'], [2], [3]] },
    { name: 'list (3)', rows: [['column 0'], [4]] },
  ]);
  expect(notes[0]).toBe('the rows after 2 are on the sheet list (2)');
  const sheet = unzip(bytes).get('xl/worksheets/sheet2.xml');
  expect(sheet).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>');
  expect(sheet).toContain('<autoFilter ref="A1:A3"/>');
});

test('names of sheets are valid and unique, and a sheet may have no rows', async () => {
  const long = 'a'.repeat(40);
  const { bytes } = await written({
    [long]: [],
    [long.toUpperCase()]: [],
    "'[a]:*?/\\'": [],
    History: [],
    '': [],
  });
  expect(readXlsx(bytes).map(({ name }) => name)).toEqual([
    'a'.repeat(31),
    `${'A'.repeat(27)} (2)`,
    'a',
    'History_',
    'Sheet',
  ]);
});

test('too many columns are refused, and a writer that fails stops the workbook', async () => {
  const none = new WorkbookWriter(async () => {});
  expect(() => none.begin('a', Array(16_385).fill('x'))).toThrow('at most 16,384 columns');
  let calls = 0;
  const full = new WorkbookWriter(async () => {
    calls += 1;
    if (calls > 1) throw new Error('the disk is full');
  });
  const sheet = full.begin('a', ['x']);
  const fill = async (): Promise<void> => {
    for (let round = 0; round < 100; round++)
      await sheet.add(Array.from({ length: 1000 }, () => [String(Math.random())]));
    await sheet.end();
  };
  await expect(fill()).rejects.toThrow('the disk is full');
});
