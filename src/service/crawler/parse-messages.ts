import type { Answer } from './fetcher.ts';
import type { CrawlFacts } from './records.ts';
import type { ScopeRules } from './scope.ts';

/** What a thread is started with. */
export interface ParseThreadData {
  readonly scope: ScopeRules;
  readonly robotName: string;
  /** Bytes of a page after content-encoding. */
  readonly bytes: number;
}

export interface ParseRequest {
  readonly answer: Answer;
  readonly facts: CrawlFacts;
}

/** Records as lines of JSON, each with its line break. */
export interface ParseReply {
  readonly pages: string;
  readonly links: string;
  readonly items: string;
  /** Internal URLs that the page leads to, in its order, without repetition. */
  readonly targets: readonly string[];
  /** The internal URL that the answer redirects to, one of the targets. */
  readonly redirect: string | null;
}
