import { END_REASONS_WITHOUT_REPORT } from '../../api/resources/crawls.ts';
import type { CrawlDataType } from '../../api/resources/fields.ts';
import { Refusal } from './refusal.ts';
import type { Document } from './resources.ts';

/** Refuses what a crawl's state has no data for (wire-facts.md, "export gate"; spec-notes.md 23, 24). */
export function refuseUnlessReported(crawl: Document, dataType: CrawlDataType): void {
  if (crawl.status !== 'done') {
    throw new Refusal('invalid_state_for_request', `the crawl ${crawl.id} is ${crawl.status}, not done`);
  }
  if (END_REASONS_WITHOUT_REPORT.includes(String(crawl.end_reason))) {
    throw new Refusal(
      'invalid_state_for_request',
      `the crawl ${crawl.id} ended without a report: ${crawl.end_reason}`,
    );
  }
  if (dataType === 'links' && crawl.link_status === 'archived') {
    throw new Refusal('invalid_state_for_request', `the links of the crawl ${crawl.id} are archived`);
  }
}
