import type { Connection } from '../../../core/duckdb/duckdb.ts';
import type { PagesPerTemplate } from './vitals.ts';

/** Templates of a sample: those of most pages. */
const MOST_TEMPLATES = 50;

/**
 * The pages that are measured, in their order: HTML pages with a status of 200 to 299. Pages are of one template if they
 * have the same host, the same first directory, equally many directories, and parameters or none. Of each template those
 * nearest to the start page come first. The first pages of all templates come before the second ones.
 *
 * @param pages SQL for records of pages
 */
export async function samplePages(
  connection: Connection,
  pages: string,
  perTemplate: PagesPerTemplate,
  signal?: AbortSignal,
): Promise<string[]> {
  const isAll = perTemplate === 'all';
  const rows = await connection.rows<{ url: string }>(
    `WITH page AS (
       SELECT url, depth,
         concat_ws(' ', url_host, url_first_path, len(string_split(urlpath, '/')), url_has_params) AS template
       FROM ${pages} WHERE parsed_html AND status_code BETWEEN 200 AND 299
     ),
     placed AS (
       SELECT *, count(*) OVER (PARTITION BY template) AS pages,
         row_number() OVER (PARTITION BY template ORDER BY depth NULLS LAST, url) AS place
       FROM page
     ),
     ranked AS (SELECT *, dense_rank() OVER (ORDER BY pages DESC, template) AS rank FROM placed)
     SELECT url FROM ranked WHERE $1 OR (place <= $2 AND rank <= ${MOST_TEMPLATES}) ORDER BY place, rank`,
    [isAll, isAll ? 0 : perTemplate],
    signal,
  );
  return rows.map(({ url }) => url);
}
