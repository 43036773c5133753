import { readJsonFile } from '../../../../core/files/read-json-file.ts';
import { type Fault, Faults } from './fault.ts';

/** @throws CrawlhouseError `usage` that names the file and the fault */
export async function readFaults(file: string): Promise<readonly Fault[]> {
  const hint = 'an array of {match: {method?, path?}, kind, after_bytes?, status?, retry_after?, times?}';
  return await readJsonFile(file, Faults, { code: 'usage', hint });
}
