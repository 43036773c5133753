import type { Warehouse } from '../query/warehouse.ts';
import { type AnswerSheet, addAnswer } from './add-answer.ts';
import { writeWorkbook } from './write-workbook.ts';

/**
 * Writes the rows of one statement as a workbook to a new file.
 *
 * @returns the number of rows, and sentences about rows on further sheets and cut texts
 * @throws CrawlhouseError as `addAnswer`
 */
export async function writeAnswer(
  path: string,
  warehouse: Warehouse,
  sheet: AnswerSheet,
  signal: AbortSignal,
): Promise<{ readonly rows: number; readonly notes: readonly string[] }> {
  const { result: rows, notes } = await writeWorkbook(path, (workbook) =>
    addAnswer(workbook, warehouse, sheet, signal),
  );
  return { rows, notes };
}
