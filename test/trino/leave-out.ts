import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Models that take Trino 10 to 15 s each on two busy cores, more than all others together. parity.test.ts makes them. */
export const LARGE = [
  'crawl_segments',
  'issue_changes',
  'issue_priorities',
  'issue_trend',
  'links_to_broken_pages',
  'orphans',
  'page_actions',
  'page_issues',
  'page_values',
];

/** Removes models of a project folder, and what reads them. */
export async function leaveOut(folder: string, names: readonly string[]): Promise<void> {
  const sql = join(folder, 'sql');
  const files = (await readdir(sql, { recursive: true })).filter((name) => name.endsWith('.sql'));
  const left = names.map((name) => `mart.${name}`);
  for (const name of left)
    for (const file of files) {
      const path = join(sql, file);
      const text = await readFile(path, 'utf8').catch(() => '');
      const own = /^name: (mart\.\w+)$/m.exec(text)?.[1];
      if (own !== name && !new RegExp(`(FROM|JOIN|model:|to:)\\s+${name}\\b`).test(text)) continue;
      if (own !== undefined && own !== name) left.push(own);
      await rm(path);
    }
}
