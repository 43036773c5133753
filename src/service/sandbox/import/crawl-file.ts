import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors.ts';

/** `crawl.json`: any field of a crawl, and its project's name and start URL. */
const CrawlFile = z.looseObject({
  id: z.string().min(1).optional(),
  created_at: z.int().nullish(),
  ended_at: z.int().nullish(),
  project: z.looseObject({ name: z.string().min(1).optional(), start_url: z.string().optional() }).optional(),
});
export type CrawlFile = z.infer<typeof CrawlFile>;

/** @throws CrawlhouseError `bad_project` that names file and key */
export async function readCrawlFile(file: string | undefined): Promise<CrawlFile> {
  if (file === undefined) return {};
  let json: unknown;
  try {
    json = JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new CrawlhouseError('bad_project', `${file}: ${(cause as Error).message}`, { cause });
  }
  const parsed = CrawlFile.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new CrawlhouseError(
    'bad_project',
    `${file}, at ${issue?.path.join('.') || 'its root'}: ${issue?.message}`,
    {
      hint: 'crawl.json holds fields of a crawl (api-spec.md §2.4) and project: {name, start_url}',
    },
  );
}
