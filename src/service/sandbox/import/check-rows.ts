import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { readLines } from '../../../core/files/read-lines.ts';

export interface RowsSummary {
  readonly rows: number;
  /** Keys of the rows that are not fields. */
  readonly unknownKeys: readonly string[];
}

/**
 * Reads a JSONL file once before DuckDB does. DuckDB accepts text that is not JSON (trailing commas, NaN), and counts
 * the lines of its errors differently.
 *
 * @throws CrawlhouseError `bad_project` with file and line
 */
export async function checkRows(file: string, known: ReadonlySet<string>): Promise<RowsSummary> {
  const unknown = new Set<string>();
  let rows = 0;
  for await (const { line, number } of readLines(file)) {
    if (line.trim() === '') continue;
    rows += 1;
    for (const key of Object.keys(parseRow(line, file, number))) {
      if (!known.has(key)) unknown.add(key);
    }
  }
  return { rows, unknownKeys: [...unknown] };
}

function parseRow(line: string, file: string, number: number): object {
  let problem = 'is not a JSON object';
  try {
    const row: unknown = JSON.parse(line);
    if (typeof row === 'object' && row !== null && !Array.isArray(row)) return row;
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  throw new CrawlhouseError('bad_project', `${file}, line ${number}: ${problem}`, {
    hint: 'each line of a .jsonl file is one JSON object, a row',
  });
}
