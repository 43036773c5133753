import type { CustomField } from '../../custom-fields/custom-field.ts';
import type { FetchedAnswer } from '../../fetch/fetcher.ts';
import type { ScopeRules } from '../../frontier/scope.ts';
import type { PageFinding } from '../../records/crawl-counts.ts';
import type { CrawlFacts } from '../../records/records.ts';
import type { Rendered } from '../../render/rendered.ts';

/** Bytes after content-encoding from which on a page is large. */
export const LARGE_BYTES = 500_000;

/** The start data of a thread. */
export interface ParseThreadData {
  readonly scope: ScopeRules;
  readonly robotName: string;
  readonly customFields: readonly CustomField[];
  /** Bytes of a page after content-encoding. */
  readonly bytes: number;
  /** A page with more bytes is returned, for the thread of large pages. */
  readonly most: number;
  /** Patterns of the resources that pages are recorded with; none means all; null: pages have no list of resources. */
  readonly watched: readonly string[] | null;
}

export interface ParseRequest {
  readonly answer: FetchedAnswer;
  /** Bytes that are parsed, if the whole page ended a thread or failed in it; 0: only the headers. */
  readonly most?: number;
  readonly facts: CrawlFacts;
  /** The result of rendering the page; null if it needs none. */
  readonly rendered: Rendered | null;
}

/** Records as lines of JSON in UTF-8, each with its line break; compressed for a large page, as frames of zstd. */
export interface Lines {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isCompressed: boolean;
}

const ENCODER = new TextEncoder();

/** Returns lines that pass to another thread without a copy. */
export function plainLines(text: string): Lines {
  return { bytes: ENCODER.encode(text), isCompressed: false };
}

/** Returns the text of lines that are not compressed. */
export function textOf({ bytes }: Lines): string {
  return new TextDecoder().decode(bytes);
}

export interface ParseReply {
  readonly pages: Lines;
  readonly links: Lines;
  readonly items: Lines;
  /** Internal URLs that the page leads to, in its order, without repetition. */
  readonly targets: readonly string[];
  /** The internal URL that the response redirects to, one of the targets. */
  readonly redirect: string | null;
  readonly findings: readonly PageFinding[];
}

/** A thread's answer: records, that the page needs the other thread, or why parsing failed. */
export type ParseThreadReply = ParseReply | { readonly isLarge: true } | { readonly error: string };
