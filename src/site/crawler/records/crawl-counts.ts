import {
  FETCH_STATUSES,
  type FetchCounts,
  type FetchStatus,
  NO_COUNTS,
  urlsOf,
} from '../../../client/resources/crawl-progress.ts';
import { type Connection, ident, STORAGE_OPTION, text } from '../../../core/duckdb/duckdb.ts';
import type { DepthCount } from '../frontier/frontier.ts';

/** The catalog that the crawl's database file is attached as. */
const CATALOG = 'crawl';
/** With DuckDB's defaults, a writer keeps more rows in memory (docs/decisions/warehouse.md). */
const OPTIONS = `BLOCK_SIZE 32768, ROW_GROUP_SIZE 16384, ${STORAGE_OPTION}`;

/** A URL of a fetch status, as progress shows it (api-spec.md §2.5). */
export interface CrawlSample {
  readonly url: string;
  readonly fetch_date: string;
  readonly fetch_status: FetchStatus;
  readonly status_code?: number;
  readonly fetch_duration?: number;
  readonly error_code?: string;
}

/** Samples of one status; the latest ones stay. */
const MOST_SAMPLES = 5;
/** The speed is that of the last seconds, this many. */
const SPEED_SECONDS = 5;

/** What a single page shows, under the names of the later issues (sql/issues). */
export type PageFinding =
  | 'noindex'
  | 'canonicalised'
  | 'missing_title'
  | 'missing_description'
  | 'missing_h1';

/** Counts the outcomes of a crawl's URLs. */
export class CrawlCounts {
  readonly #byDepth = new Map<number, Record<FetchStatus, number>>();
  readonly #total: Record<FetchStatus, number> = { ...NO_COUNTS };
  readonly #samples = new Map<FetchStatus, CrawlSample[]>();
  /** URLs of each of the last seconds, by the second. */
  readonly #recent = new Map<number, number>();
  readonly #since = secondNow();
  readonly #findings = new Map<PageFinding, number>();
  /** Pages that this process has checked, if an earlier one fetched others; null means all. */
  looked: number | null;
  /** The slowest answer of this process. */
  slowest: CrawlSample | null = null;
  /** Answered URLs. */
  fetched = 0;
  /** The deepest depth of an answered URL. */
  depth = 0;

  constructor(before: readonly DepthCount[]) {
    for (const { depth, status, urls } of before) this.#count(depth, status, urls);
    this.looked = before.length > 0 ? 0 : null;
  }

  add(depth: number | null, sample: CrawlSample): void {
    this.#count(depth, sample.fetch_status, 1);
    const samples = this.#samples.get(sample.fetch_status) ?? [];
    this.#samples.set(sample.fetch_status, [...samples.slice(1 - MOST_SAMPLES), sample]);
    if ((sample.fetch_duration ?? -1) > (this.slowest?.fetch_duration ?? -1)) this.slowest = sample;
    const second = secondNow();
    this.#recent.set(second, (this.#recent.get(second) ?? 0) + 1);
    for (const old of this.#recent.keys()) if (old < second - SPEED_SECONDS) this.#recent.delete(old);
  }

  look(findings: readonly PageFinding[]): void {
    if (this.looked !== null) this.looked++;
    for (const finding of findings) this.#findings.set(finding, (this.#findings.get(finding) ?? 0) + 1);
  }

  #count(depth: number | null, status: FetchStatus, urls: number): void {
    this.#total[status] += urls;
    if (status.startsWith('fetched')) this.fetched += urls;
    if (depth === null) return;
    if (status.startsWith('fetched')) this.depth = Math.max(this.depth, depth);
    const counts = this.#byDepth.get(depth) ?? { ...NO_COUNTS };
    counts[status] += urls;
    this.#byDepth.set(depth, counts);
  }

  get total(): FetchCounts {
    return { ...this.#total };
  }

  get urls(): number {
    return urlsOf(this.#total);
  }

  byDepth(): ({ readonly depth: number } & FetchCounts)[] {
    return [...this.#byDepth].sort(([a], [b]) => a - b).map(([depth, counts]) => ({ depth, ...counts }));
  }

  /** Returns the findings of the checked pages, the most frequent first, without those that no page has. */
  findings(): (readonly [PageFinding, number])[] {
    return [...this.#findings].sort(([, a], [, b]) => b - a);
  }

  samples(): CrawlSample[] {
    return FETCH_STATUSES.flatMap((status) => this.#samples.get(status) ?? []);
  }

  /** Returns URLs per second, over the last whole seconds. */
  speed(): number {
    const now = secondNow();
    let urls = 0;
    for (const [second, count] of this.#recent)
      if (second < now && second >= now - SPEED_SECONDS) urls += count;
    return urls / Math.max(1, Math.min(SPEED_SECONDS, now - this.#since));
  }
}

function secondNow(): number {
  return Math.floor(performance.now() / 1000);
}

/** Attaches the crawl's database; the connection then uses it. */
export async function openCrawlFile(connection: Connection, path: string): Promise<void> {
  await connection.run(`ATTACH ${text(path)} AS ${ident(CATALOG)} (${OPTIONS})`);
  await connection.run(`USE ${ident(CATALOG)}`);
}

/**
 * Detaches the crawl's database and attaches it again: This makes DuckDB free its data about written row groups, which
 * its limit does not include. Temporary tables stay.
 */
export async function reopenCrawlFile(connection: Connection, path: string): Promise<void> {
  await connection.run('USE memory');
  await connection.run(`DETACH ${ident(CATALOG)}`);
  await openCrawlFile(connection, path);
}
