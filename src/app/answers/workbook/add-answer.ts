import type { Sheet, WorkbookWriter } from '../../../core/xlsx/workbook-writer.ts';
import type { Names } from '../presentation/blocks.ts';
import { columnNames } from '../presentation/value-text.ts';
import type { ParameterTexts } from '../query/parameters.ts';
import type { Warehouse } from '../query/warehouse.ts';
import { answerCell } from './answer-cell.ts';

export interface AnswerSheet {
  /** The name of the sheet. */
  readonly name: string;
  readonly sql: string;
  readonly parameters: ParameterTexts;
  /** The names of the columns. */
  readonly names: Names;
}

/**
 * Adds a sheet with the rows of one statement, as they arrive.
 *
 * @returns the number of rows
 * @throws CrawlhouseError as `Warehouse.write`; `usage` for more columns than a sheet can have
 */
export async function addAnswer(
  workbook: WorkbookWriter,
  warehouse: Warehouse,
  { name, sql, parameters, names }: AnswerSheet,
  signal: AbortSignal,
): Promise<number> {
  const begun: Sheet[] = [];
  const count = await warehouse.each(
    { sql, parameters },
    async ({ columns, rows }) => {
      const own = columns.map((column) => column.name);
      if (begun.length === 0) begun.push(workbook.begin(name, names === 'people' ? columnNames(own) : own));
      const types = columns.map(({ type }) => type);
      await begun[0]?.add(
        rows.map((row) => row.map((value, index) => answerCell(value, types[index] ?? ''))),
      );
    },
    signal,
  );
  await begun[0]?.end();
  return count;
}
