import { type Options, parse } from 'csv-parse/sync';
import { z } from 'zod';
import { type Typed, typedRows } from './typed-rows.ts';

const CsvRecord = z.object({
  record: z.array(z.string()),
  /** Of the file. */
  info: z.object({ lines: z.number() }),
});

/**
 * Returns the records of CSV text, each with the number of its last line.
 *
 * @throws CsvError
 */
export function parseCsv(text: string, options: Options): readonly Typed<typeof CsvRecord>[] {
  return typedRows(CsvRecord, parse(text, { ...options, info: true, skip_empty_lines: true }));
}
