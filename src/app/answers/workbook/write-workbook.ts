import { open } from 'node:fs/promises';
import { WorkbookWriter } from '../../../core/xlsx/workbook-writer.ts';

/**
 * Writes a workbook to a new file that only its owner can read.
 *
 * @param fill adds the sheets
 * @returns what `fill` returns, and sentences about rows on further sheets and cut texts
 */
export async function writeWorkbook<T>(
  path: string,
  fill: (workbook: WorkbookWriter) => Promise<T>,
): Promise<{ readonly result: T; readonly notes: readonly string[] }> {
  await using file = await open(path, 'wx', 0o600);
  const workbook = new WorkbookWriter((bytes) => file.appendFile(bytes));
  const result = await fill(workbook);
  return { result, notes: await workbook.end() };
}
