import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import type { CatalogReader } from '../../../etl/state/catalog/catalog.ts';
import { crawlName } from '../presentation/value-text.ts';

/** Maximum crawls that an answer names; for more projects, each row has its own. */
const MOST_NOTES = 5;

const SCOPES = `
  SELECT crawl_id, crawl_number, ended_at, project_name, scope_note FROM mart.crawls
  WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
    AND ($crawl IS NULL AND is_main OR crawl_id = $crawl) AND scope_note IS NOT NULL
  ORDER BY project_name, crawl_id LIMIT ${MOST_NOTES}`;

const ScopeRow = z.strictObject({
  crawl_id: z.string(),
  crawl_number: z.number().nullable(),
  ended_at: z.string().nullable(),
  project_name: z.string().nullable(),
  scope_note: z.string(),
});

/** Returns what the crawls of a saved question's answer do not cover (mart.crawls.scope_note), as sentences. */
export async function readScopeNotes(
  {
    parameters,
    isQuestion,
  }: { readonly parameters: ReadonlyMap<string, string | null>; readonly isQuestion: boolean },
  warehouse: CatalogReader,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (!isQuestion || !parameters.has('project')) return [];
  const [project = null, crawl = null] = [parameters.get('project'), parameters.get('crawl')];
  const given = new Map(Object.entries({ project, crawl }));
  try {
    const rows = typedRows(ScopeRow, await warehouse.rows(SCOPES, signal, given));
    return rows.map((row) => `${row.project_name ?? 'A project'}, ${crawlName(row)}: ${row.scope_note}`);
  } catch (thrown) {
    // A project may omit the shipped models.
    if (thrown instanceof CrawlhouseError && thrown.code === 'bad_query') return [];
    throw thrown;
  }
}
