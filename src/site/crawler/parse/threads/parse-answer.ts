import { zstdCompressSync } from 'node:zlib';
import type { CustomField } from '../../custom-fields/custom-field.ts';
import { extractor } from '../../custom-fields/extractor.ts';
import { decodeContent } from '../../fetch/content-encoding.ts';
import { isRedirect } from '../../fetch/redirect-status.ts';
import { Scope } from '../../frontier/scope.ts';
import type { PageFinding } from '../../records/crawl-counts.ts';
import type { CrawlFacts, Fetched, PageRecord, ParsedPage, ParseRules } from '../../records/records.ts';
import type { Rendered } from '../../render/rendered.ts';
import { withRendered } from '../../render/with-rendered.ts';
import { headerValues } from '../headers.ts';
import { isIndexable, nonIndexableReason } from '../indexability.ts';
import { parsePage, unfetchedPage } from '../parse-page.ts';
import {
  LARGE_BYTES,
  type Lines,
  type ParseRequest,
  type ParseThreadData,
  type ParseThreadReply,
  plainLines,
} from './parse-messages.ts';

/** Creates the records of a response. */
export function answerParser(data: ParseThreadData): (request: ParseRequest) => ParseThreadReply {
  const scope = new Scope(data.scope);
  const scraping = (...from: readonly CustomField['from'][]): ParseRules => {
    const fields = data.customFields.filter((field) => from.includes(field.from));
    return {
      isInternal: (url) => scope.isInternal(url),
      normalize: (url) => scope.spell(url),
      robotName: data.robotName,
      extract: fields.length === 0 ? null : extractor(fields),
    };
  };
  const [alone, before, after] = [scraping('page', 'raw'), scraping('raw'), scraping('page', 'rendered')];
  return (request) => {
    const { answer, facts } = request;
    const rendered = partOf(request);
    // A page for the other thread is not decoded as a whole.
    const fetched = fetchedOf(request, Math.min(data.bytes, data.most));
    const isCut = fetched.isTruncated && !answer.isTruncated;
    const size = Math.max(fetched.bytes ?? 0, rendered?.html?.length ?? 0);
    if (data.most < data.bytes && (isCut || size > data.most)) return { isLarge: true };
    const plain = facts.robots_txt_denied
      ? { page: unfetchedPage(answer.url, 'unfetched_robots_denied'), links: [], items: [] }
      : parsePage(fetched, rendered?.html == null ? alone : before);
    const crawl = { fetched, rules: after, watched: data.watched };
    const parsed = rendered === null ? plain : withRendered(plain, rendered, crawl);
    const page = { ...parsed.page, ...facts };
    const location = page.redirect_location;
    const redirect = location === null ? null : scope.admit(location);
    return {
      pages: plainLines(pageLine({ ...page, indexable: isIndexable(page) })),
      links: linesOf(parsed.links, size),
      items: linesOf(parsed.items, size),
      targets: targetsOf(parsed, redirect, scope),
      redirect,
      findings: findingsOf(page),
    };
  };
}

/**
 * Returns the findings of a page, as in the models later (sql/crawl_pages/pages.sql): the first reason not to be
 * indexed, else what is missing.
 */
function findingsOf(page: PageRecord & CrawlFacts): PageFinding[] {
  const reason = nonIndexableReason(page);
  if (reason === 'noindex' || reason === 'canonicalised') return [reason];
  if (reason !== null || !page.parsed_html || page.content_problem !== null) return [];
  const texts = {
    missing_title: page.title,
    missing_description: page.meta_description,
    missing_h1: page.h1,
  };
  return (Object.keys(texts) as (keyof typeof texts)[]).filter((name) => texts[name] === null);
}

/** Returns the result of rendering, as far as the request knows it. */
function partOf({ rendered, most }: ParseRequest): Rendered | null {
  if (rendered === null || rendered.html === null || most === undefined) return rendered;
  return { ...rendered, html: rendered.html.slice(0, most) };
}

function fetchedOf({ answer, most }: ParseRequest, limit: number): Fetched {
  const { body, headers } = answer;
  const decoded = body === null ? { body, isTruncated: false } : decodeContent(body, headers, limit);
  const isUnreadable = body !== null && decoded.body === null && !isRedirect(answer.statusCode ?? 0);
  const problem = isUnreadable ? 'unreadable_content' : most === 0 ? 'not_parsed' : null;
  // The announced length of a body that was cut, unless it is compressed.
  const isPlain = answer.isTruncated && decoded.body === body;
  const [announced] = isPlain ? headerValues(headers, 'content-length') : [];
  return {
    ...answer,
    body: decoded.body?.subarray(0, most) ?? null,
    isTruncated: answer.isTruncated || decoded.isTruncated || (most ?? 0) > 0,
    problem,
    bytes: problem === null ? Math.max(decoded.body?.length ?? 0, Number(announced) || 0) : null,
  };
}

function targetsOf({ links, page }: ParsedPage, redirect: string | null, scope: Scope): string[] {
  const linked = links.filter(({ follow, intern }) => follow && intern).map(({ target }) => target);
  const found = linked.filter((url) => scope.follows(url));
  const scripted = page.script_redirect === null ? null : scope.admit(page.script_redirect);
  const refreshed = page.meta_refresh_location === null ? null : scope.admit(page.meta_refresh_location);
  return [...new Set([redirect, scripted, refreshed, ...found])].filter((url) => url !== null);
}

/** Characters that are compressed at a time. */
const FRAME = 1_000_000;
/** Characters of a line: DuckDB reads lines of up to 16 MB. */
const LONGEST_LINE = 4_000_000;
/** Half of a surrogate pair, as written in JSON when the other half is missing. DuckDB refuses it. */
const LONE_SURROGATE = /(?<=(?:^|[^\\])(?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

function line(record: object): string {
  // Numbers of JSON-LD are stored as written; no value is a bigint.
  const json = JSON.stringify(record);
  return `${json.includes('\\ud') ? json.replace(LONE_SURROGATE, '\uFFFD') : json}\n`;
}

/** @throws Error for a record that is too long */
function pageLine(record: object): string {
  const text = line(record);
  if (text.length > LONGEST_LINE) throw new Error(`the record has ${text.length} characters`);
  return text;
}

/** Converts records to lines. The links of one page may need 100 MB. */
function linesOf(records: readonly object[], bytes: number): Lines {
  if (bytes <= LARGE_BYTES) return plainLines(records.map(line).filter(isShort).join(''));
  const frames: Uint8Array[] = [];
  let lines = '';
  for (const record of records) {
    const text = line(record);
    if (isShort(text)) lines += text;
    if (lines.length < FRAME) continue;
    frames.push(zstdCompressSync(lines));
    lines = '';
  }
  if (lines !== '') frames.push(zstdCompressSync(lines));
  return { bytes: Buffer.concat(frames), isCompressed: true };
}

function isShort(text: string): boolean {
  return text.length <= LONGEST_LINE;
}
