import { type Connection, table } from '../../../core/duckdb/duckdb.ts';
import { inLowerMemory, withOneThread } from '../../../core/duckdb/lower-memory.ts';
import { declaredPages } from './declared-pages.ts';
import { duplicates } from './duplicates.ts';
import { facts } from './facts.ts';
import type { CrawlFieldRules } from './fields.ts';
import { hreflang } from './hreflang.ts';
import { inlinks } from './inlinks.ts';
import { missingPages } from './missing-pages.ts';
import { clusterSimilarities, nearDuplicates } from './near-duplicates.ts';
import { numberUrls } from './number-urls.ts';
import { outlinks } from './outlinks.ts';
import { redirects } from './redirects.ts';
import { scoring } from './scoring.ts';
import { sitemaps } from './sitemaps.ts';
import { topNgrams } from './top-ngrams.ts';
import { vitals } from './vitals.ts';
import { writeTables } from './write-tables.ts';

/** Of the memory limit: DuckDB takes more than it counts, and keeps tables in memory that it could put on disk. */
const JOBS_SHARE = 2 / 3;

type Job = (connection: Connection, signal?: AbortSignal) => Promise<void>;

/**
 * The thirteen jobs of the service, in its order. Pages are parsed while they are fetched; what is left of `parse` is to
 * number them. A job reads the tables of those before it.
 */
const JOBS = {
  parse: async (connection, signal) => {
    await numberUrls(connection, signal);
    await facts(connection, signal);
    await declaredPages(connection, signal);
    await vitals(connection, signal);
  },
  inlinks,
  sitemaps,
  outlinks,
  redirect: redirects,
  scoring,
  top_ngrams: topNgrams,
  hreflang,
  duplicate_description: (connection, signal) =>
    duplicates(connection, 'meta_description', 'job_same_description', signal),
  duplicate_title: (connection, signal) => duplicates(connection, 'title', 'job_same_title', signal),
  duplicate_h1: (connection, signal) => duplicates(connection, 'h1', 'job_same_h1', signal),
  duplicate_simhash: async (connection, signal) => {
    await nearDuplicates(connection, signal);
    await missingPages(connection, signal);
  },
  cluster_similarities: clusterSimilarities,
} as const satisfies Readonly<Record<string, Job>>;

/** The tables that the jobs make for each other. */
const TEMPORARY =
  'crawl_pages crawl_urls crawl_links job_facts job_declared job_inlinks job_sitemaps job_outlinks redirect_chains job_redirects job_passing job_shares job_scoring ngram_spread job_ngrams hreflang_versions hreflang_errors hreflang_nodes hreflang_groups hreflang_clusters job_hreflang duplicate_groups job_same_description job_same_title job_same_h1 near_duplicates near_duplicate_clusters job_near_duplicates job_missing job_vitals job_clusters'.split(
    ' ',
  );

export type JobName = keyof typeof JOBS;

export const JOB_NAMES = Object.keys(JOBS) as readonly JobName[];

/**
 * Makes the tables `pages`, `links`, `clusters` and `structured_data` of a crawl from `fetched_pages`, `fetched_links`,
 * `fetched_items`, `sitemap_urls`, `missing_pages` and `vitals` in the connection's database. They have the service's fields (`fields.ts`). Tables
 * in between are temporary. Run again, it makes the same tables.
 */
export async function runJobs(
  connection: Connection,
  options: {
    /** The crawl's file, if the tables are in one. */
    readonly path?: string;
    readonly signal?: AbortSignal;
    readonly fields?: CrawlFieldRules;
    /** Is called when a job begins and when it is done. */
    readonly onJob?: (name: JobName, status: 'running' | 'done') => void;
  } = {},
): Promise<void> {
  const { signal, onJob = () => {} } = options;
  try {
    await inLowerMemory(connection, JOBS_SHARE, async (attempt) => {
      for (const name of JOB_NAMES) {
        signal?.throwIfAborted();
        onJob(name, 'running');
        await attempt(() => JOBS[name](connection, signal));
        onJob(name, 'done');
      }
    });
    // Each thread takes memory for each of the many joins and columns.
    await withOneThread(connection, () => writeTables(connection, options));
  } finally {
    for (const name of TEMPORARY) await connection.run(`DROP TABLE IF EXISTS ${table('temp', 'main', name)}`);
  }
}
