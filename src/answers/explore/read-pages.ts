import { ident } from '../../core/duckdb.ts';
import { CrawlhouseError } from '../../core/errors.ts';
import { didYouMean } from '../../core/nearest-name.ts';
import { nodesOf, type SerializedSql, type SqlNode, serializedSql } from '../../core/serialize-sql.ts';
import type { CatalogReader } from '../../state/catalogue/catalog.ts';
import { type AskedCrawls, CHOSEN, chosenBy, rowsOf } from './chosen-crawls.ts';

/** A filter of the pages of one crawl. */
export interface PageFilter extends AskedCrawls {
  /** Only pages that have this issue (mart.issues.issue). */
  readonly issue?: string | undefined;
  /** Conditions on columns of `mart.pages`, as SQL: all of them hold. */
  readonly where: readonly string[];
  /** A column, as in `depth`; the largest first as in `depth desc`. */
  readonly sort?: string | undefined;
  /** The most rows. */
  readonly limit: number;
}

/** The first pages that a filter lets through. */
export interface FoundPages {
  readonly project: string;
  readonly crawl_id: string;
  /** ISO 8601, UTC. */
  readonly ended_at: string | null;
  /** All that it lets through. */
  readonly total: number;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

type Crawl = Pick<FoundPages, 'project' | 'crawl_id' | 'ended_at'>;

const SHOWN = ['url', 'status_code', 'is_indexable', 'depth', 'nb_inlinks', 'title'];

/**
 * The pages that a filter lets through, in its order; without one, those with the most importance by links first.
 *
 * @throws CrawlhouseError `usage` for a project, crawl, issue, column or condition that is none
 */
export async function readPages(
  warehouse: CatalogReader,
  filter: PageFilter,
  signal: AbortSignal,
): Promise<FoundPages> {
  const { issue, where, limit } = filter;
  const given = await chosenBy(filter, warehouse, signal);
  const crawl = onlyCrawl(await rowsOf<Crawl>(warehouse, CHOSEN, given, signal));
  const parameters = new Map([
    ['crawl', crawl.crawl_id],
    ...(issue === undefined ? [] : [['issue', await knownIssue(warehouse, issue, signal)] as const]),
  ]);
  const columns = await pageColumns(warehouse, signal);
  const named: string[] = [];
  for (const condition of where) named.push(...(await columnsOf(warehouse, condition, signal)));
  const sorted = sortOf(filter.sort, columns);
  // Their columns are asked for by names of mart.pages alone, whatever a condition has.
  const more = [...named, sorted.column].filter((name) => columns.includes(name) && !SHOWN.includes(name));
  const shown = [...new Set(['url', ...(issue === undefined ? [] : ['why']), ...SHOWN.slice(1), ...more])];
  const found = `SELECT pages.*${issue === undefined ? '' : ', found.why'} FROM mart.pages AS pages
    ${issue === undefined ? '' : 'JOIN mart.page_issues AS found ON found.crawl_id = pages.crawl_id AND found.url = pages.url AND found.issue = $issue'}
    WHERE pages.crawl_id = $crawl`;
  const conditions = where.map((condition) => `(${condition}\n)`).join(' AND ');
  const through = `FROM (${found}) AS pages${where.length === 0 ? '' : ` WHERE ${conditions}`}`;
  // The models are there: what fails now is a condition, in the words of DuckDB.
  const [count] = await warehouse.rows(`SELECT count(*) AS total ${through}`, signal, parameters);
  const first = `SELECT ${shown.map(ident).join(', ')} ${through} ORDER BY ${sorted.sql}, url LIMIT ${limit}`;
  return {
    ...crawl,
    total: (count as { readonly total: number }).total,
    rows: (await warehouse.rows(first, signal, parameters)) as FoundPages['rows'],
  };
}

function onlyCrawl(crawls: readonly Crawl[]): Crawl {
  const [crawl] = crawls;
  if (crawl === undefined)
    throw new CrawlhouseError('usage', 'no crawl has pages yet', { hint: 'crawlhouse run loads them' });
  if (crawls.length === 1) return crawl;
  throw new CrawlhouseError('usage', `there are ${crawls.length} projects: name one`, {
    hint: `--project ${crawls
      .slice(0, 5)
      .map(({ project }) => project)
      .join(', --project ')}`,
  });
}

async function knownIssue(warehouse: CatalogReader, issue: string, signal: AbortSignal): Promise<string> {
  const known = await rowsOf<{ issue: string }>(
    warehouse,
    'SELECT issue FROM mart.issues ORDER BY issue',
    new Map(),
    signal,
  );
  const names = known.map((one) => one.issue);
  if (names.includes(issue)) return issue;
  throw new CrawlhouseError('usage', `there is no issue ${issue}`, {
    hint: `${didYouMean(issue, names)}crawlhouse issues lists those of a crawl`,
  });
}

async function pageColumns(warehouse: CatalogReader, signal: AbortSignal): Promise<readonly string[]> {
  const described = await rowsOf<{ column_name: string }>(
    warehouse,
    'DESCRIBE mart.pages',
    new Map(),
    signal,
  );
  return described.map(({ column_name }) => column_name);
}

function sortOf(sort: string | undefined, columns: readonly string[]): { column: string; sql: string } {
  const [, column = '', direction = 'asc'] =
    /^\s*(\S+?)(?:\s+(asc|desc))?\s*$/i.exec(sort ?? 'inrank_decimal desc') ?? [];
  if (columns.includes(column))
    return { column, sql: `${ident(column)} ${direction.toUpperCase()} NULLS LAST` };
  throw new CrawlhouseError('usage', `--sort: mart.pages has no column ${column || sort}`, {
    hint: `${didYouMean(column, columns)}docs/dictionary.md lists them; 'COLUMN desc' sorts the largest first`,
  });
}

/**
 * The columns that a condition names.
 *
 * @throws CrawlhouseError `usage` where DuckDB's parser sees anything but one condition
 */
async function columnsOf(
  warehouse: CatalogReader,
  condition: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const parse = async (sql: string): Promise<SerializedSql> => {
    const [row] = await warehouse.rows(PARSE, signal, new Map([['sql', sql]]));
    return serializedSql(String((row as { tree: unknown }).tree));
  };
  // Brackets of its own that close ours, and keywords that go on behind it: each stops one of the two.
  const bracketed = await parse(`SELECT 1 WHERE (${condition}\n)`);
  const between = await parse(`SELECT CASE WHEN ${condition}\nTHEN 1 END`);
  const [statement, second] = bracketed.statements ?? [];
  if (bracketed.error || between.error || second !== undefined || !isBare(statement?.node)) {
    const why = bracketed.error_message ?? between.error_message;
    throw new CrawlhouseError('usage', `--where: ${condition} is not one condition`, {
      hint: `${why === undefined ? '' : `${why}; `}as in --where 'status_code = 404'`,
    });
  }
  return [...nodesOf(statement?.node.where_clause)].flatMap((one) =>
    one.class === 'COLUMN_REF' ? [String((one.column_names as string[]).at(-1))] : [],
  );
}

const PARSE = 'SELECT json_serialize_sql($sql::VARCHAR)::VARCHAR AS tree';

/** A SELECT of one value, with a condition and nothing else. */
const isBare = (node: SqlNode | undefined): boolean =>
  node?.type === 'SELECT_NODE' &&
  (node.from_table as SqlNode | null)?.type === 'EMPTY' &&
  (node.modifiers as unknown[]).length === 0 &&
  (node.group_expressions as unknown[]).length === 0 &&
  [node.having, node.qualify].every((part) => part === null);
