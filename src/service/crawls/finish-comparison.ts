import { type ColumnKind, columnsOf, kindOfField, SQL_TYPES } from '../fields/column.ts';
import { COMPARED_FIELDS, CRAWL_OVER_CRAWL_FIELD_RECORDS } from '../fields/field-records-of.ts';
import type { StoredDataset, StoredResource } from '../resources/resources.ts';
import { WORKSPACE_ID } from '../resources/seed.ts';
import { ServiceRows } from '../rows/service-rows.ts';
import type { ServiceData } from '../rows/service-state.ts';

/** Compares the pages of two crawls and ends the comparison. */
export async function finishComparison(
  { resources, rows }: ServiceData,
  comparison: StoredResource,
  at: number,
): Promise<StoredResource> {
  const configuration = comparison.configuration as { url_transformations: UrlTransformation[] };
  const dataset = await comparePages(rows, {
    id: comparison.id,
    crawl1: resources.dataset(String(comparison.crawl1_id), 'pages'),
    crawl2: resources.dataset(String(comparison.crawl2_id), 'pages'),
    transformations: configuration.url_transformations,
  });
  const { _end, ...rest } = comparison;
  const ended: StoredResource = {
    ...rest,
    end_date: at,
    ...(dataset === 'conflicting_urls'
      ? { status: 'cancelled', end_reason: 'conflicting_urls' }
      : { status: 'done', end_reason: 'ok' }),
  };
  resources.transaction(() => {
    resources.put('crawl_over_crawls', WORKSPACE_ID, ended);
    if (dataset !== 'conflicting_urls')
      resources.putDataset(comparison.id, 'crawl_over_crawl_pages', dataset);
  });
  return ended;
}

/** A rewriting of the URLs of one of the two crawls (api-spec.md §2.6). */
interface UrlTransformation {
  readonly type: string;
  readonly crawl_to_transform: number;
  readonly config: { readonly find: string; readonly replace: string };
}

interface PagesToCompare {
  readonly id: string;
  readonly crawl1: StoredDataset | undefined;
  readonly crawl2: StoredDataset | undefined;
  readonly transformations: readonly UrlTransformation[];
}

/** Returns one row for each URL of two crawls, or the obstacle to comparing them: a URL that a crawl has twice. */
async function comparePages(
  rows: ServiceRows,
  { id, crawl1, crawl2, transformations }: PagesToCompare,
): Promise<StoredDataset | 'conflicting_urls'> {
  const values: string[] = [];
  const sides = [side(1, crawl1, transformations, values), side(2, crawl2, transformations, values)];
  const table = `crawl_over_crawl_pages_${id}`;
  const columns = columnsOf(CRAWL_OVER_CRAWL_FIELD_RECORDS);
  const cells = columns.map(({ id: column, field }) => `${cellOf(field.name)} AS ${column}`);
  const pages = `WITH one AS (${sides[0]}), two AS (${sides[1]})`;
  return rows.useForImport(async (connection) => {
    const repeated = `${pages} SELECT (SELECT count(*) - count(DISTINCT url) FROM one) + (SELECT count(*) - count(DISTINCT url) FROM two)`;
    if ((await connection.scalar(repeated, values)) !== 0n) return 'conflicting_urls' as const;
    const compared = `${pages} SELECT ${cells.join(', ')} FROM one FULL JOIN two ON one.url = two.url ORDER BY one.place NULLS LAST, two.place`;
    await connection.run(`CREATE OR REPLACE TABLE ${ServiceRows.table(table)} AS ${compared}`, values);
    return { table, columns };
  });
}

function cellOf(name: string): string {
  if (name === 'url') return 'coalesce(one.url, two.url)';
  if (name === 'presence')
    return `CASE WHEN two.url IS NULL THEN 'only_crawl1' WHEN one.url IS NULL THEN 'only_crawl2' ELSE 'in_both' END`;
  return name.startsWith('crawl1_') ? `one.${name}` : `two.${name}`;
}

/** Returns SQL for one crawl's pages: their position, their URL for the comparison, and the shown fields. */
function side(
  number: 1 | 2,
  dataset: StoredDataset | undefined,
  transformations: readonly UrlTransformation[],
  values: string[],
): string {
  const own = transformations.filter((transformation) => transformation.crawl_to_transform === number);
  const url = own.reduce((sql, one) => transformed(sql, one, values), 'source_url');
  const fields = COMPARED_FIELDS.map((name) => `${fieldOf(dataset, name)} AS crawl${number}_${name}`);
  const from =
    dataset?.table === undefined ? '(SELECT NULL AS rowid) WHERE false' : ServiceRows.table(dataset.table);
  const source = `SELECT rowid AS place, ${fieldOf(dataset, 'url')} AS source_url, ${fields.join(', ')} FROM ${from}`;
  return `SELECT *, ${url} AS url FROM (${source}) WHERE source_url IS NOT NULL`;
}

/** Returns SQL for a field in the kind that the comparison shows; null for values that do not fit or do not exist. */
function fieldOf(dataset: StoredDataset | undefined, name: string): string {
  const wanted = CRAWL_OVER_CRAWL_FIELD_RECORDS.find((field) => field.name === `crawl1_${name}`);
  const kind: ColumnKind = wanted === undefined ? 'text' : kindOfField(wanted);
  const column =
    dataset?.table === undefined ? undefined : dataset.columns.find(({ field }) => field.name === name);
  if (column === undefined) return `CAST(NULL AS ${SQL_TYPES[kind]})`;
  if (column.kind === kind) return column.id;
  const value = column.kind === 'json' ? `json_extract_string(${column.id}, '$')` : column.id;
  return `TRY_CAST(${value} AS ${SQL_TYPES[kind]})`;
}

function transformed(url: string, { type, config }: UrlTransformation, values: string[]): string {
  const find = `CAST($${values.push(config.find)} AS VARCHAR)`;
  const replace = `CAST($${values.push(config.replace)} AS VARCHAR)`;
  if (type === 'replace_prefix')
    return `CASE WHEN starts_with(${url}, ${find}) THEN concat(${replace}, substr(${url}, length(${find}) + 1)) ELSE ${url} END`;
  // The domain itself and its subdomains.
  const start = `strpos(${url}, '://') + 3`;
  const host = `regexp_extract(substr(${url}, ${start}), '^[^/?#]*')`;
  const end = `${start} + length(${host})`;
  return `CASE WHEN ${host} = ${find} OR ends_with(${host}, concat('.', ${find}))
    THEN concat(substr(${url}, 1, ${end} - length(${find}) - 1), ${replace}, substr(${url}, ${end})) ELSE ${url} END`;
}
