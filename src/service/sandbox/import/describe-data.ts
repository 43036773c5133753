import type { CrawlDataType } from '../../../client/resources/fields.ts';
import type { StoredDataset } from '../../resources/resources.ts';
import { ServiceRows } from '../../rows/service-rows.ts';

/** Returns the facts about a crawl that follow from its rows. */
export async function describeData(rows: ServiceRows, datasets: ReadonlyMap<CrawlDataType, StoredDataset>) {
  const pages = datasets.get('pages');
  const links = datasets.get('links');
  /**
   * One value of a dataset; `@` is the column of a field. Undefined if the rows, the field or the value do not exist.
   */
  const cellOf = async (
    dataset: StoredDataset | undefined,
    field: string | null,
    cell: string,
    rest = '',
  ) => {
    const column = dataset?.columns.find((column) => column.field.name === field)?.id;
    if (dataset?.table === undefined || (field !== null && column === undefined)) return undefined;
    const [shown, filter] = [cell, rest].map((sql) => sql.replaceAll('@', column ?? ''));
    const sql = `SELECT ${shown} FROM ${ServiceRows.table(dataset.table)} ${filter}`;
    return (await rows.use((connection) => connection.scalar(sql))) ?? undefined;
  };
  const originOf = async (dataset: StoredDataset | undefined, field: string) => {
    const url = await cellOf(dataset, field, 'CAST(@ AS VARCHAR)', 'WHERE @ IS NOT NULL LIMIT 1');
    return typeof url === 'string' && URL.canParse(url) ? `${new URL(url).origin}/` : undefined;
  };
  const fetched = await cellOf(pages, 'fetched', "count(*) FILTER (CAST(@ AS VARCHAR) = 'true')");
  return {
    startUrl: (await originOf(pages, 'url')) ?? (await originOf(links, 'origin')),
    fetchedUrls: Number(fetched ?? (await cellOf(pages, null, 'count(*)')) ?? 0),
    lastDepth: Number((await cellOf(pages, 'depth', 'max(TRY_CAST(@ AS INTEGER))')) ?? 0),
  };
}
