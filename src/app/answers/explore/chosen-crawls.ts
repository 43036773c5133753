import { z } from 'zod';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { type Typed, typedRows } from '../../../core/text/typed-rows.ts';
import type { CatalogReader } from '../../../etl/state/catalog/catalog.ts';
import { resolveParameters } from '../../../etl/state/catalog/resolve-parameters.ts';

/** A project or a crawl, by name or identifier. If neither is given, the main crawl of each project. */
export interface AskedCrawls {
  readonly project?: string | undefined;
  readonly crawl?: string | undefined;
}

export const ChosenCrawl = z.strictObject({
  crawl_id: z.string(),
  project_id: z.string(),
  /** Its name, or its identifier. */
  project: z.string(),
  /** ISO 8601, UTC. */
  ended_at: z.string().nullable(),
  previous_crawl_id: z.string().nullable(),
});
export type ChosenCrawl = Typed<typeof ChosenCrawl>;

/** A SELECT of the chosen crawls, with the parameters `project` and `crawl`. */
export const CHOSEN = `
  SELECT crawl_id, project_id, coalesce(project_name, project_id) AS project, ended_at, previous_crawl_id
  FROM mart.crawls
  WHERE ($project IS NULL OR project_id = $project OR project_name = $project)
    AND (($crawl IS NULL AND is_main) OR crawl_id = $crawl)`;

/**
 * Returns the parameters of `CHOSEN`, with the crawl resolved to its identifier.
 *
 * @throws CrawlhouseError `usage` for an unknown project or crawl
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

/** @throws CrawlhouseError `usage` if there are no crawls, or crawls of several projects */
export function onlyCrawl<T extends { readonly project: string }>(crawls: readonly T[]): T {
  const [crawl] = crawls;
  if (crawl === undefined)
    throw new CrawlhouseError('usage', 'no crawl has pages yet', { hint: 'crawlhouse run loads them' });
  if (crawls.length === 1) return crawl;
  throw new CrawlhouseError('usage', `the warehouse has ${crawls.length} projects: name one`, {
    hint: `--project ${crawls
      .slice(0, 5)
      .map(({ project }) => shellWord(project))
      .join(', --project ')}`,
  });
}

/** The message for a warehouse that contains models of another version. */
const LACKS =
  /mart\.\w+ does not exist|Table with name|Referenced column "\w+" not found|does not have a column named/;

/** Returns the rows of a statement on shipped models. The error for a missing table or column shows how to build it. */
export async function rowsOf<Schema extends z.ZodType>(
  warehouse: CatalogReader,
  schema: Schema,
  sql: string,
  parameters: ReadonlyMap<string, string | null>,
  signal: AbortSignal,
): Promise<readonly Typed<Schema>[]> {
  try {
    return typedRows(schema, await warehouse.rows(sql, signal, parameters));
  } catch (thrown) {
    if (!(thrown instanceof CrawlhouseError && LACKS.test(thrown.message))) throw thrown;
    throw new CrawlhouseError('bad_query', 'the warehouse lacks shipped models, or some of their columns', {
      cause: thrown,
      hint: 'crawlhouse transform builds them, unless crawlhouse.yaml sets shipped_models: none',
    });
  }
}

/** Runs a statement on shipped models, like `rowsOf`, with named parameters. */
export type AskCrawls = <Schema extends z.ZodType>(
  schema: Schema,
  sql: string,
  given?: Readonly<Record<string, string | null>>,
) => Promise<readonly Typed<Schema>[]>;

export const asking =
  (warehouse: CatalogReader, signal: AbortSignal): AskCrawls =>
  (schema, sql, given = {}) =>
    rowsOf(warehouse, schema, sql, new Map(Object.entries(given)), signal);
