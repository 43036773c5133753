import type { z } from 'zod';
import type { ErrorCode } from '../errors/error-codes.ts';
import { CrawlhouseError } from '../errors/errors.ts';
import { readText } from './read-text.ts';

/** @throws CrawlhouseError of this code and hint that names the file and the invalid key */
export async function readJsonFile<T>(
  file: string,
  schema: z.ZodType<T>,
  { code, hint }: { readonly code: ErrorCode; readonly hint: string },
): Promise<T> {
  let json: unknown;
  try {
    json = JSON.parse(await readText(file));
  } catch (cause) {
    throw new CrawlhouseError(code, `${file}: ${(cause as Error).message}`, { cause });
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue?.path.join('.') || 'its root';
  throw new CrawlhouseError(code, `${file}, at ${where}: ${issue?.message}`, { hint });
}
