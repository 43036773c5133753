import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { crawlName } from '../../../project/model/shown/value-text.ts';
import type { CatalogReader } from '../../../state/catalogue/catalog.ts';

/** Crawls that an answer names; of more projects than these, each row has its own. */
const MOST_NOTES = 5;

const SCOPES = `
  SELECT crawl_id, crawl_number, ended_at, project_name, scope_note FROM mart.crawls
  WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
    AND ($crawl IS NULL AND is_main OR crawl_id = $crawl) AND scope_note IS NOT NULL
  ORDER BY project_name, crawl_id LIMIT ${MOST_NOTES}`;

interface ScopeRow {
  readonly crawl_id: string;
  readonly crawl_number: number | null;
  readonly ended_at: string | null;
  readonly project_name: string | null;
  readonly scope_note: string;
}

/** What the crawls did not cover that a saved question answers for (mart.crawls.scope_note), a sentence each. */
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
    const rows = (await warehouse.rows(SCOPES, signal, given)) as readonly ScopeRow[];
    return rows.map((row) => `${row.project_name ?? 'A project'}, ${crawlName(row)}: ${row.scope_note}`);
  } catch (thrown) {
    // A project may do without the models that ship.
    if (thrown instanceof CrawlhouseError && thrown.code === 'bad_query') return [];
    throw thrown;
  }
}
