import { countText } from '../../../core/text/amounts.ts';
import type { CrawlProgress } from '../../../service/api/resources/crawl-progress.ts';

type Progress = CrawlProgress['progress'];

/** The speed is that of so many milliseconds. */
const SPEED_MS = 5000;

/** Says on one line how far a crawl is: pages, speed, depth, errors, what is left, what else it does; then the jobs of its analysis. */
export class CrawlDisplay {
  #seen: readonly { readonly at: number; readonly pages: number }[] = [];

  line({ crawler, steps }: Progress, sideWork: readonly string[], now: number): string {
    const jobs = steps?.find(({ name }) => name === 'analysis')?.jobs ?? [];
    const job = jobs.findIndex(({ status }) => status === 'running');
    if (job >= 0) return `analysis: ${jobs[job]?.name} (${job + 1} of ${jobs.length})`;
    const counts = crawler?.counts;
    if (!counts) return 'starting';
    const pages = counts.fetched_2xx + counts.fetched_3xx + counts.fetched_4xx + counts.fetched_5xx;
    const errors = counts.fetched_4xx + counts.fetched_5xx + counts.unfetched_exception;
    return [
      `${countText(pages)} pages`,
      `${this.#speed(pages, now).toFixed(1)}/s`,
      `depth ${crawler?.depth ?? 0}`,
      `${countText(errors)} errors`,
      `${countText(counts.queued_urls)} left`,
      ...sideWork,
    ].join('  ');
  }

  #speed(pages: number, at: number): number {
    this.#seen = [...this.#seen.filter((one) => one.at >= at - SPEED_MS), { at, pages }];
    const [first] = this.#seen;
    if (first === undefined || first.at === at) return 0;
    return ((pages - first.pages) * 1000) / (at - first.at);
  }
}
