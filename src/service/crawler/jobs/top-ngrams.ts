import type { Connection } from '../../../core/duckdb/duckdb.ts';

/** N-grams that a page keeps. */
const TOP = 10;
/** Pages that are weighed at a time: choosing the top ones keeps those of all its pages in memory. */
const PAGES_AT_ONCE = 10_000;

/**
 * The n-grams that say what a page is about: those of its candidates with the highest product of how often the page has
 * them and how rare they are, `count × ln(pages / pages with it)`. Words on all pages, such as the words of a template
 * or "the", weigh nothing, in any language. Of a crawl of one page the most frequent ones are kept.
 *
 * Source: K. Spärck Jones, "A statistical interpretation of term specificity" (1972).
 */
export async function topNgrams(connection: Connection, signal?: AbortSignal): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ngram_spread AS
      SELECT hash(gram.ngram) AS gram_hash, count(*) AS pages
      FROM (SELECT unnest(ngrams) AS gram FROM fetched_pages) GROUP BY gram_hash HAVING count(*) > 1`,
    [],
    signal,
  );
  const pages = Number(
    await connection.scalar('SELECT count(*) FROM fetched_pages WHERE ngrams IS NOT NULL'),
  );
  const end = Number(await connection.scalar('SELECT coalesce(max(rowid) + 1, 0) FROM fetched_pages'));
  for (let start = 0; start < end || start === 0; start += PAGES_AT_ONCE) {
    const into = start === 0 ? 'CREATE OR REPLACE TEMP TABLE job_ngrams AS' : 'INSERT INTO job_ngrams';
    await connection.run(`${into} ${topOf(start, pages)}`, [], signal);
  }
}

function topOf(start: number, pages: number): string {
  const rarity = pages === 1 ? '1' : `ln(${pages} / coalesce(spread.pages, 1))`;
  return `SELECT id, max({weight: round(weight, 6), ngram: gram.ngram, n: gram.n, count: gram.count}, ${TOP}) AS grams
    FROM (
      SELECT id, gram, gram.count * ${rarity} AS weight FROM (
        SELECT rowid AS id, unnest(ngrams) AS gram FROM fetched_pages
        WHERE rowid >= ${start} AND rowid < ${start + PAGES_AT_ONCE}
      ) LEFT JOIN ngram_spread AS spread ON gram_hash = hash(gram.ngram)
    ) WHERE weight > 0 GROUP BY id`;
}
