import { z } from 'zod';
import { readJsonFile } from '../../../core/files/read-json-file.ts';

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
  const hint = 'crawl.json holds fields of a crawl (api-spec.md §2.4) and project: {name, start_url}';
  return await readJsonFile(file, CrawlFile, { code: 'bad_project', hint });
}
