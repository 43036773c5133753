import type { CrawlDataType } from '../../../api/resources/fields.ts';
import type { Column } from '../../fields/column.ts';
import type { Dataset } from '../../resources/resources.ts';
import { ServiceRows } from '../../rows/row-store.ts';

export interface DataFacts {
  readonly startUrl: string | undefined;
  readonly fetchedUrls: number;
  readonly lastDepth: number;
}

/** The facts about a crawl that follow from its rows. */
export async function describeData(
  rows: ServiceRows,
  datasets: ReadonlyMap<CrawlDataType, Dataset>,
): Promise<DataFacts> {
  const pages = datasets.get('pages');
  const links = datasets.get('links');
  return {
    startUrl: (await firstOrigin(rows, pages, 'url')) ?? (await firstOrigin(rows, links, 'origin')),
    fetchedUrls:
      (await number(rows, pages, 'fetched', "count(*) FILTER (CAST(@ AS VARCHAR) = 'true')")) ??
      (await number(rows, pages, undefined, 'count(*)')) ??
      0,
    lastDepth: (await number(rows, pages, 'depth', 'max(TRY_CAST(@ AS INTEGER))')) ?? 0,
  };
}

async function firstOrigin(
  rows: ServiceRows,
  dataset: Dataset | undefined,
  field: string,
): Promise<string | undefined> {
  const column = columnOf(dataset, field);
  if (dataset?.table === undefined || column === undefined) return undefined;
  const sql = `SELECT CAST(${column.id} AS VARCHAR) FROM ${ServiceRows.table(dataset.table)} WHERE ${column.id} IS NOT NULL LIMIT 1`;
  const url = await rows.use((connection) => connection.scalar(sql));
  return typeof url === 'string' && URL.canParse(url) ? `${new URL(url).origin}/` : undefined;
}

async function number(
  rows: ServiceRows,
  dataset: Dataset | undefined,
  field: string | undefined,
  aggregate: string,
): Promise<number | undefined> {
  const column = field === undefined ? undefined : columnOf(dataset, field);
  if (dataset?.table === undefined || (field !== undefined && column === undefined)) return undefined;
  const sql = `SELECT ${aggregate.replaceAll('@', column?.id ?? '')} FROM ${ServiceRows.table(dataset.table)}`;
  const value = await rows.use((connection) => connection.scalar(sql));
  return value === null || value === undefined ? undefined : Number(value);
}

function columnOf(dataset: Dataset | undefined, field: string): Column | undefined {
  return dataset?.columns.find((column) => column.field.name === field);
}
