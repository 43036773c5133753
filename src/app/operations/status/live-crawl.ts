import { join } from 'node:path';
import { z } from 'zod';
import { FETCH_STATUSES } from '../../../client/resources/crawl-progress.ts';
import type { Crawl } from '../../../client/resources/crawls.ts';
import { host, timestamp } from '../../../core/host/host.ts';
import { lockHolder } from '../../../core/locks/state-lock.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { localServiceFolder } from '../../../etl/project/settings/settings.ts';
import type { FetchProgress } from '../../../site/crawler/progress-reporter.ts';

const FILE = 'live-crawl.json';
/** Time between two writes. */
const PAUSE_MS = 1000;

const Progress = z.strictObject({
  pages: z.number(),
  left: z.number(),
  depth: z.number(),
  urls_per_second: z.number(),
  /** Without statuses that no URL has. */
  statuses: z.array(z.strictObject({ status: z.enum(FETCH_STATUSES), urls: z.number() })),
  findings: z.array(z.strictObject({ issue: z.string(), pages: z.number() })),
  /** Other work and waits of the crawl, or the job of its analysis. */
  work: z.array(z.string()),
});

/** The last crawl of `crawlhouse crawl` in a project folder. */
export const LiveCrawl = z.strictObject({
  crawl_id: z.string(),
  project_id: z.string(),
  start_url: z.string(),
  /** ISO 8601, UTC. */
  started_at: z.string(),
  /**
   * `paused`: the crawl can be resumed, even if its process was killed. `ended`: the crawl is loaded. `failed`: the
   * crawl has no report.
   */
  state: z.enum(['running', 'paused', 'ended', 'failed']),
  phase: z.enum(['fetch', 'analysis', 'load']),
  /** Null before its first request. */
  progress: Progress.nullable(),
  /** Why the crawl is paused or failed, unless a person caused this. */
  problem: z.string().nullable(),
  /** The id of its process. */
  pid: z.number(),
});
export type LiveCrawl = Typed<typeof LiveCrawl>;

/** With the system of the process id. */
const Written = LiveCrawl.extend({ scope: z.string() });

interface Place {
  readonly state_dir: string;
}

/** Writes the state of a crawl next to its data, for the console. A failed write does not stop the crawl. */
export class LiveCrawlFile {
  readonly #path: string;
  #crawl: LiveCrawl;
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(place: Place, { id, project_id, crawl_config }: Crawl) {
    this.#path = join(localServiceFolder(place), FILE);
    const former = parsed(this.#path);
    this.#crawl = {
      crawl_id: id,
      project_id,
      start_url: String(crawl_config?.start_url),
      started_at: timestamp(),
      state: 'running',
      phase: 'fetch',
      progress: former?.crawl_id === id ? former.progress : null,
      problem: null,
      pid: host().pid,
    };
    this.change({});
  }

  /** Writes the progress, at most once a second. */
  show(progress: FetchProgress | undefined): void {
    if (progress === undefined) return;
    const phase = progress.phase === 'fetch' ? 'fetch' : 'analysis';
    if (phase === this.#crawl.phase && host().monotonic() - this.#writtenAt < PAUSE_MS) return;
    this.change({ phase, progress: summaryOf(progress) });
  }

  change(changed: Partial<Pick<LiveCrawl, 'state' | 'phase' | 'progress' | 'problem'>>): void {
    this.#crawl = { ...this.#crawl, ...changed };
    this.#writtenAt = host().monotonic();
    try {
      const written: Typed<typeof Written> = { ...this.#crawl, scope: host().processScope() };
      host().files.writeFileSync(`${this.#path}.tmp`, JSON.stringify(written));
      host().files.renameSync(`${this.#path}.tmp`, this.#path);
    } catch {
      // Such as on a full disk: the crawl itself reports that.
    }
  }
}

function summaryOf(progress: FetchProgress): Typed<typeof Progress> {
  const { counts, depth, urls_per_second, findings, jobs, side_work } = progress;
  const job = jobs.findIndex(({ status }) => status === 'running');
  return {
    pages: counts.fetched_2xx + counts.fetched_3xx + counts.fetched_4xx + counts.fetched_5xx,
    left: counts.queued_urls,
    depth,
    urls_per_second,
    statuses: FETCH_STATUSES.map((status) => ({ status, urls: counts[status] })).filter(
      ({ urls }) => urls > 0,
    ),
    findings: findings.map(([issue, pages]) => ({ issue, pages })),
    work: job < 0 ? [...side_work] : [`${jobs[job]?.name} (${job + 1} of ${jobs.length})`],
  };
}

/** Returns the last crawl of a project folder; null if there is none. A running crawl without its process is paused. */
export function readLiveCrawl(place: Place): LiveCrawl | null {
  const folder = localServiceFolder(place);
  const written = parsed(join(folder, FILE));
  if (written === null) return null;
  const { scope, ...crawl } = written;
  if (crawl.state !== 'running') return crawl;
  const holder = lockHolder(folder);
  const isAlive = holder?.pid === crawl.pid && holder.scope === scope;
  return isAlive ? crawl : { ...crawl, state: 'paused' };
}

function parsed(path: string): Typed<typeof Written> | null {
  try {
    return Written.parse(JSON.parse(host().files.readFileSync(path, 'utf8')));
  } catch {
    // No crawl yet, or of another version.
    return null;
  }
}
