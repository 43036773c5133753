import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { FARTHEST } from './similar-texts.ts';

/**
 * Whether pages are like the answer for a page that does not exist: the same title, and near-duplicate content. The start
 * page of a host is not, where its host sends it for everything. Null where a text is too short to be compared.
 */
export async function missingPages(connection: Connection, signal?: AbortSignal): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE job_missing AS
      SELECT pages.id,
        CASE WHEN missing.status_code NOT BETWEEN 200 AND 299 OR fetched.urlpath = '/' OR fetched.title IS DISTINCT FROM missing.title THEN false
          ELSE bit_count(xor(fetched.simhash, missing.simhash)) <= ${FARTHEST} END AS is_alike
      FROM fetched_pages AS fetched JOIN crawl_pages AS pages USING (url)
      JOIN missing_pages AS missing ON missing.origin = regexp_extract(fetched.url, '^[a-z]+://[^/]+')
      WHERE fetched.parsed_html AND fetched.status_code BETWEEN 200 AND 299`,
    [],
    signal,
  );
}
