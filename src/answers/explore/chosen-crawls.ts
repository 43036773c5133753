import { CrawlhouseError } from '../../core/errors/errors.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import type { CatalogReader } from '../../state/catalogue/catalog.ts';
import { resolveParameters } from '../../state/catalogue/resolve-parameters.ts';

/** Whose pages or issues: by name or identifier; without both, those of the main crawl of each project. */
export interface AskedCrawls {
  readonly project?: string | undefined;
  readonly crawl?: string | undefined;
}

/** A SELECT of the crawls that are asked for, with the parameters `project` and `crawl`. */
export const CHOSEN = `
  SELECT crawl_id, project_id, coalesce(project_name, project_id) AS project, ended_at, previous_crawl_id
  FROM mart.crawls
  WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
    AND (($crawl IS NULL AND is_main) OR crawl_id = $crawl)`;

/**
 * The parameters of `CHOSEN`, with the crawl as an identifier.
 *
 * @throws CrawlhouseError `usage` for a project or crawl that is not there
 */
export function chosenBy(
  { project, crawl }: AskedCrawls,
  warehouse: CatalogReader,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string | null>> {
  const parameters = new Map<string, string | null>([
    ['project', project ?? null],
    ['crawl', crawl ?? null],
  ]);
  return resolveParameters({ parameters, isQuestion: true }, warehouse, signal);
}

/** @throws CrawlhouseError `usage` where the crawls are none or of several projects */
export function onlyCrawl<T extends { readonly project: string }>(crawls: readonly T[]): T {
  const [crawl] = crawls;
  if (crawl === undefined)
    throw new CrawlhouseError('usage', 'no crawl has pages yet', { hint: 'crawlhouse run loads them' });
  if (crawls.length === 1) return crawl;
  throw new CrawlhouseError('usage', `there are ${crawls.length} projects: name one`, {
    hint: `--project ${crawls
      .slice(0, 5)
      .map(({ project }) => shellWord(project))
      .join(', --project ')}`,
  });
}

/** What a warehouse lacks that models of another version made. */
const LACKS =
  /mart\.\w+ does not exist|Table with name|Referenced column "\w+" not found|does not have a column named/;

/** Rows of a statement on models that ship; says what to do where the warehouse lacks them or columns of them. */
export async function rowsOf<T>(
  warehouse: CatalogReader,
  sql: string,
  parameters: ReadonlyMap<string, string | null>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  try {
    return (await warehouse.rows(sql, signal, parameters)) as readonly unknown[] as readonly T[];
  } catch (thrown) {
    if (!(thrown instanceof CrawlhouseError && LACKS.test(thrown.message))) throw thrown;
    throw new CrawlhouseError('bad_query', 'the warehouse lacks models that ship, or columns of them', {
      cause: thrown,
      hint: 'crawlhouse transform makes them, unless crawlhouse.yaml has shipped_models: none',
    });
  }
}

/** Asks a statement on models that ship, as `rowsOf`, with its parameters by their names. */
export type AskCrawls = <T>(
  sql: string,
  given?: Readonly<Record<string, string | null>>,
) => Promise<readonly T[]>;

export const asking =
  (warehouse: CatalogReader, signal: AbortSignal): AskCrawls =>
  (sql, given = {}) =>
    rowsOf(warehouse, sql, new Map(Object.entries(given)), signal);
