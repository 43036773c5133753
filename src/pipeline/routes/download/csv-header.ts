import { parse } from 'csv-parse/sync';
import { CrawlhouseError } from '../../../core/errors/errors.ts';

/** The delimiter of a streamed CSV export (wire-facts.md). */
export const STREAM_DELIMITER = ';';

/**
 * The names in the header line of a CSV.
 *
 * @throws CrawlhouseError `contract_broken` if the line is not CSV with this delimiter, or a name is empty or repeated
 */
export function parseHeader(line: string, file: string, delimiter: string): string[] {
  const names = readLine(line, file, delimiter);
  const seen = new Set<string>();
  for (const name of names) {
    if (name === '' || seen.has(name)) {
      const problem = name === '' ? 'an empty name' : `the name ${JSON.stringify(name)} twice`;
      throw new CrawlhouseError('contract_broken', `${file}:1: the header has ${problem}`);
    }
    seen.add(name);
  }
  return names;
}

function readLine(line: string, file: string, delimiter: string): string[] {
  try {
    const rows: string[][] = parse(line, { delimiter, relax_column_count: true });
    return rows[0] ?? [];
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new CrawlhouseError(
      'contract_broken',
      `${file}:1: the header is not CSV with the delimiter ${JSON.stringify(delimiter)}: ${said}`,
      { cause: error },
    );
  }
}
