import { readFile } from 'node:fs/promises';
import { CrawlhouseError } from '../../../core/errors.ts';
import { type Fault, Faults } from './fault.ts';

/** @throws CrawlhouseError `usage` that names the file and the fault */
export async function readFaults(file: string): Promise<readonly Fault[]> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new CrawlhouseError('usage', `${file}: ${(cause as Error).message}`, { cause });
  }
  const parsed = Faults.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new CrawlhouseError(
    'usage',
    `${file}, at ${issue?.path.join('.') || 'its root'}: ${issue?.message}`,
    {
      hint: 'an array of {match: {method?, path?}, kind, after_bytes?, status?, retry_after?, times?}',
    },
  );
}
