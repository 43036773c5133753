import {
  ANALYSIS_JOBS,
  type CrawlProgress,
  NO_COUNTS,
  urlsOf,
} from '../../client/resources/crawl-progress.ts';
import { type CrawlPlan, countsOf, FETCH_STEPS, firstSteps } from './crawl-plan.ts';
import {
  ANALYSIS_END,
  CONNECTORS_END,
  CROSS_ANALYSIS_END,
  type CrawlerWork,
  FETCH_END,
  isWorking,
  JOB,
  type LaunchedCrawl,
  stepsAt,
  WORK_END,
  workedAt,
} from './launched-crawl.ts';

/** The version of the answer's shape, which the specification does not define. */
const VERSION = 1;

type PartStatus = 'done' | 'running' | 'waiting';

/** Returns the progress of a crawl (api-spec.md §2.5) that was launched here or never started. */
export function progressAt(crawl: LaunchedCrawl, now: number): CrawlProgress {
  const progress =
    crawl._crawler === undefined ? plannedProgress(crawl, now) : crawlerProgress(crawl, crawl._crawler);
  return { progress: { status: String(crawl.status), ...progress }, timestamp: now, version: VERSION };
}

type Progress = Omit<CrawlProgress['progress'], 'status'>;

function plannedProgress(crawl: LaunchedCrawl, now: number): Progress {
  const plan: CrawlPlan = crawl._plan ?? { end_reason: '', steps: [], samples: [] };
  const worked = crawl._plan === undefined ? 0 : workedAt(crawl, now);
  const steps = crawl._plan === undefined ? 0 : stepsAt(crawl, now);
  const done = firstSteps(plan, steps);
  const depth = done.reduce((deepest, step) => Math.max(deepest, step.depth), 0);
  const counts = countsOf(done);
  // URLs that a crawl found but did not fetch are dropped if it ends early.
  const isFetching = crawl._work !== undefined && crawl._stop === undefined;
  const queued = isFetching ? urlsOf(countsOf(plan.steps)) - urlsOf(counts) : 0;
  const part = (from: number, to: number): PartStatus => {
    if (worked >= to) return 'done';
    return worked >= from && isWorking(crawl) ? 'running' : 'waiting';
  };
  return {
    crawler: {
      status: part(0, FETCH_END),
      depth,
      counts: { ...counts, queued_urls: queued },
      by_depth: Array.from({ length: done.length === 0 ? 0 : depth + 1 }, (_, at) => ({
        depth: at,
        ...countsOf(done.filter((step) => step.depth === at)),
      })),
      samples: samplesOf(plan, steps, Number(crawl.created_at ?? 0)),
    },
    steps: [
      { name: 'fetch', status: part(0, FETCH_END) },
      { name: 'connectors', status: part(FETCH_END, CONNECTORS_END) },
      {
        name: 'analysis',
        status: part(CONNECTORS_END, ANALYSIS_END),
        jobs: ANALYSIS_JOBS.map((name, index) => ({
          name,
          status: part(CONNECTORS_END + index * JOB, CONNECTORS_END + (index + 1) * JOB),
        })),
      },
      { name: 'cross_analysis', status: part(ANALYSIS_END, CROSS_ANALYSIS_END) },
      { name: 'export', status: part(CROSS_ANALYSIS_END, WORK_END) },
    ],
  };
}

/**
 * Returns the last progress that the crawler reported. Copying rows takes no time: the last two steps end with its
 * jobs.
 */
function crawlerProgress(crawl: LaunchedCrawl, { progress }: CrawlerWork): Progress {
  const { phase = 'fetch', depth = 0, counts, by_depth = [], samples = [], jobs = [] } = progress ?? {};
  const held = (status: PartStatus): PartStatus =>
    status === 'running' && !isWorking(crawl) ? 'waiting' : status;
  const fetch = held(phase === 'fetch' ? 'running' : 'done');
  const analysis = held(phase === 'fetch' ? 'waiting' : phase === 'analysis' ? 'running' : 'done');
  const last = phase === 'done' ? 'done' : 'waiting';
  // URLs that a crawl found but did not fetch are dropped when it ends.
  const queued = crawl._work === undefined ? {} : { queued_urls: counts?.queued_urls ?? 0 };
  return {
    crawler: {
      status: fetch,
      depth,
      counts: { ...NO_COUNTS, ...counts, queued_urls: 0, ...queued },
      by_depth: [...by_depth],
      samples: [...samples],
    },
    steps: [
      { name: 'fetch', status: fetch },
      { name: 'connectors', status: phase === 'fetch' ? 'waiting' : 'done' },
      {
        name: 'analysis',
        status: analysis,
        jobs: ANALYSIS_JOBS.map((name) => ({
          name,
          status: held(jobs.find((job) => job.name === name)?.status ?? 'waiting'),
        })),
      },
      { name: 'cross_analysis', status: last },
      { name: 'export', status: last },
    ],
  };
}

function samplesOf(plan: CrawlPlan, steps: number, startedAt: number) {
  return plan.samples
    .filter(({ step }) => step < steps)
    .map(({ step, status_code, fetch_duration, ...sample }) => ({
      ...sample,
      fetch_date: new Date(startedAt + step * (FETCH_END / FETCH_STEPS)).toISOString(),
      ...(status_code === null ? {} : { status_code }),
      ...(fetch_duration === null ? {} : { fetch_duration }),
      ...(sample.fetch_status === 'unfetched_exception' ? { error_code: 'timeout' } : {}),
    }));
}
