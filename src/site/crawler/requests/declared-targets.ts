import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Database } from '../../../core/duckdb/duckdb.ts';
import { webUrl } from '../../../core/net/web-url.ts';
import { typedRows } from '../../../core/text/typed-rows.ts';
import type { FetchTools } from '../fetch-round.ts';
import type { DeclaredTarget } from '../frontier/kept-requests.ts';
import { fetchedPages } from '../load-crawl.ts';
import { DECLARED_AS } from '../records/request-record.ts';

const TargetRow = z.strictObject({ url: z.string(), source: z.string(), as: z.enum(DECLARED_AS) });

/** The most targets that are requested; those of canonicals and redirects come first. */
const MOST_TARGETS = 10_000;
/** DuckDB's limit during the search. */
const MEMORY = '200MB';

export interface TargetTools extends Pick<FetchTools, 'frontier' | 'signal'> {
  readonly folder: string;
  /** Whether it is a crawl of a list, for which only redirects are followed. */
  readonly isList: boolean;
}

/** Returns the URLs that pages declare and that the crawl did not meet, each once. */
export async function declaredTargets(tools: TargetTools): Promise<DeclaredTarget[]> {
  const { folder, frontier, signal, isList } = tools;
  const tempDirectory = join(folder, 'spill');
  const found: DeclaredTarget[] = [];
  try {
    await using database = await Database.open({ memoryLimit: MEMORY, threads: 1, tempDirectory });
    const connection = await database.connect();
    const rows = typedRows(
      TargetRow,
      await connection.rows(declarationsIn(fetchedPages(folder, frontier), isList), [], signal),
    );
    found.push(...rows.map((row) => ({ ...row, hop: row.as === 'redirect' ? 1 : 0 })));
  } finally {
    rmSync(tempDirectory, { recursive: true, force: true });
  }
  if (!isList)
    for (const { url, source } of frontier.alternatesOfSitemaps()) {
      if (found.length >= MOST_TARGETS) break;
      found.push({ url, source, as: 'hreflang', hop: 0 });
    }
  return found.filter(({ url }) => webUrl(url) !== null && !frontier.isMet(url)).slice(0, MOST_TARGETS);
}

function declarationsIn(pages: string, isList: boolean): string {
  const kinds = {
    canonical: 'rel_canonical',
    redirect: 'redirect_location',
    next: 'rel_next',
    prev: 'rel_prev',
    amp: 'amp_url',
  };
  const lone = (Object.keys(kinds) as (keyof typeof kinds)[])
    .filter((kind) => !isList || kind === 'redirect')
    .map((kind) => `SELECT url AS source, '${kind}' AS kind, ${kinds[kind]} AS url FROM page`);
  const versions = isList ? [] : [`SELECT url, 'hreflang', unnest(hreflang_hrefs) FROM page`];
  return `WITH page AS (
      SELECT url, rel_canonical, redirect_location, rel_next, rel_prev, amp_url, hreflang_hrefs FROM ${pages}
    ), declared AS (${[...lone, ...versions].join(' UNION ALL ')}),
    place AS (SELECT *, list_position(['canonical', 'redirect', 'hreflang', 'next', 'prev', 'amp'], kind) AS place FROM declared)
    SELECT url, arg_min(source, (place, source)) AS source, arg_min(kind, place) AS "as" FROM place
    WHERE url IS NOT NULL AND url NOT IN (SELECT url FROM page) GROUP BY url ORDER BY min(place), url LIMIT ${MOST_TARGETS}`;
}
