import type { CustomField } from '../../custom-fields/custom-field.ts';
import type { FetchedAnswer } from '../../fetch/fetcher.ts';
import type { ScopeRules } from '../../frontier/scope.ts';
import type { PageFinding } from '../../records/crawl-counts.ts';
import type { CrawlFacts } from '../../records/records.ts';
import type { Rendered } from '../../render/rendered.ts';

/** Bytes after content-encoding from which on a page is large. */
export const LARGE_BYTES = 500_000;

/** What a thread is started with. */
export interface ParseThreadData {
  readonly scope: ScopeRules;
  readonly robotName: string;
  readonly customFields: readonly CustomField[];
  /** Bytes of a page after content-encoding. */
  readonly bytes: number;
  /** A page of more bytes is handed back, for the thread of large ones. */
  readonly most: number;
  /** Patterns of the resources that pages are recorded with; none: all; null: pages have no list of resources. */
  readonly watched: readonly string[] | null;
}

export interface ParseRequest {
  readonly answer: FetchedAnswer;
  /** Bytes that are parsed, where the whole ended a thread or failed in it; 0: only the headers are. */
  readonly most?: number;
  readonly facts: CrawlFacts;
  /** What came of rendering the page; null for one that needs none. */
  readonly rendered: Rendered | null;
}

/** Records as lines of JSON in UTF-8, each with its line break; of a large page compressed, as frames of zstd. */
export interface Lines {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isCompressed: boolean;
}

const ENCODER = new TextEncoder();

/** Lines that pass to another thread without a copy. */
export function plainLines(text: string): Lines {
  return { bytes: ENCODER.encode(text), isCompressed: false };
}

/** The text of lines that are not compressed. */
export function textOf({ bytes }: Lines): string {
  return new TextDecoder().decode(bytes);
}

export interface ParseReply {
  readonly pages: Lines;
  readonly links: Lines;
  readonly items: Lines;
  /** Internal URLs that the page leads to, in its order, without repetition. */
  readonly targets: readonly string[];
  /** The internal URL that the answer redirects to, one of the targets. */
  readonly redirect: string | null;
  readonly findings: readonly PageFinding[];
}

/** A thread's answer: records, that the page is not for it, or why it could not parse it. */
export type ParseThreadReply = ParseReply | { readonly isLarge: true } | { readonly error: string };
