import { countText } from '../../../core/text/amounts.ts';
import type { ShownValue } from '../../../project/model/shown/blocks.ts';
import type { PageSegment } from '../segments.ts';

export interface ComparedCrawl {
  readonly crawl_id: string;
  readonly project_id: string;
  readonly project: string;
  readonly crawl_number: number | null;
  readonly crawl_config_id: string | null;
  readonly crawl_config_name: string | null;
  /** ISO 8601, UTC. */
  readonly ended_at: string | null;
  /** Whether it reached all that its configuration asks for. */
  readonly is_complete: boolean;
}

export interface ComparedSegment extends PageSegment {
  /** Crawls in which no page has a segment of the segmentation: what was in this one is not known. */
  readonly undivided: readonly ComparedCrawl[];
}

/** Why nothing that changed in the segment is known; null: it is. */
export function whyUndivided({ undivided, segmentation }: ComparedSegment): string | null {
  if (undivided.length === 0) return null;
  return `no page of ${undivided.map(nameOfCrawl).join(' and ')} has a segment of ${segmentation}`;
}

/** Asks of two crawls: binds `$from`, `$to`, and the segment's `$segmentation` and `$segment`. */
export type AskOfTwo = <T>(sql: string) => Promise<readonly T[]>;

export type ComparedName = Pick<ComparedCrawl, 'crawl_id' | 'crawl_number' | 'ended_at'>;

/** As people call a crawl: by its day, and its number where it has one. */
export function nameOfCrawl({ crawl_id, crawl_number, ended_at }: ComparedName): string {
  if (ended_at === null) return `crawl ${crawl_id}`;
  const number = crawl_number === null ? '' : ` ${countText(crawl_number)}`;
  return `crawl${number} of ${ended_at.slice(0, 10)}`;
}

/** A crawl with its identifier, which leads to it. */
export function crawlCell(crawl: ComparedName): ShownValue {
  return { value: `${nameOfCrawl(crawl)} (${crawl.crawl_id})`, link: { to: 'crawl', ...crawl } };
}
