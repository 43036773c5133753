import { z } from 'zod';
import { isCode, nameOf, type SqlToken, sqlTokens, textOf } from '../../../../core/duckdb/sql-tokens.ts';
import { didYouMean } from '../../../../core/text/nearest-name.ts';
import { SeverityName, Threshold } from '../../settings/issue-settings.ts';
import { badModel } from '../text/bad-model.ts';
import type { SqlFile } from '../text/sql-file.ts';
import { thresholdsOf } from '../text/thresholds.ts';
import { checkHeader } from './check-header.ts';
import { ISSUES_FOLDER, namedFiles, type SqlFolder } from './sql-folders.ts';

export const CATEGORIES = [
  'availability',
  'redirects',
  'indexability',
  'canonicals',
  'titles_and_headings',
  'content',
  'rendering',
  'links',
  'urls',
  'hreflang',
  'structured_data',
  'sitemaps',
  'security',
  'images',
  'performance',
  'demand',
] as const;

const ThresholdName = z
  .string()
  .regex(/^(?!severity$)[a-z][a-z0-9_]*$/, 'lowercase letters, digits and _ are expected, but not severity');

/** Columns of `mart.pages` with their values; the others are NULL. */
const Page = z.record(z.string(), z.unknown());

const RELATIONS = [
  'linking_page',
  'return_link',
  'duplicate_lang',
  'hreflang_target',
  'series_error',
  'series_redirect',
  'series_non_indexable',
] as const;

const IssueHeader = z.strictObject({
  title: z.string().min(1),
  severity: SeverityName,
  category: z.enum(CATEGORIES),
  /** When exactly a page has the issue. */
  definition: z.string().min(1),
  /** Source of the definition. */
  source: z.url({ protocol: /^https$/ }),
  why_it_matters: z.string().min(1),
  fix: z.string().min(1),
  /**
   * Who fixes it: authors of the content, the templates that many pages share, or the server with its redirects,
   * robots.txt and sitemaps.
   */
  owner: z.enum(['content', 'template', 'server']),
  /** Columns of `mart.pages` that show it, or fields of another dataset: `crawl_structured_data.valid`. */
  evidence: z.array(z.string().min(1)).min(1),
  /**
   * What else the crawl must have read, besides the page. Without all `links` or all `sitemaps` of the crawl, no page
   * has the issue. Without the `related` page, the issue is neither new nor fixed. Without the `previous` crawl, the
   * affected pages are unknown.
   */
  needs: z.array(z.enum(['links', 'sitemaps', 'related', 'previous'])).default([]),
  /** Relation of `mart.page_relations` that names the other page, where the SELECT does not. */
  related: z.enum(RELATIONS).optional(),
  /**
   * Whether it depends on hits or demand, which belong to days. Then only the latest crawls have it, without
   * comparison.
   */
  is_by_days: z.boolean().default(false),
  /** Numbers that the settings of a project may replace, as `$words` in the SELECT and the definition. */
  thresholds: z
    .record(ThresholdName, z.strictObject({ default: Threshold, unit: z.string().min(1) }))
    .default({}),
  /** Pages that have the issue, and pages that just miss it. */
  cases: z.strictObject({ has: z.array(Page).min(1), has_not: z.array(Page).min(1) }).optional(),
});

/** A possible problem of a page: one file under `sql/issues/`. */
export interface Issue extends z.infer<typeof IssueHeader> {
  /** The file's name: `client_error`. */
  readonly name: string;
  /**
   * A SELECT of crawl_id, project_id, url and why (the finding on the page), with `$words` for a threshold. For a
   * relation between two pages also related_url.
   */
  readonly sql: string;
  /** Whether the SELECT has the column related_url, the other page of the relation. */
  readonly isRelation: boolean;
  /** Its parts, if it is a condition on `mart.pages` alone. One pass can check many of these. */
  readonly scan: PageScan | null;
  readonly file: string;
  readonly sqlLine: number;
}

/** `SELECT crawl_id, project_id, url, ⟨why⟩ AS why[, ⟨related⟩ AS related_url] FROM mart.pages WHERE ⟨condition⟩` */
export interface PageScan {
  readonly why: string;
  readonly related: string | null;
  readonly condition: string;
}

/**
 * Reads the issues in the given folders, sorted by name. An issue in a later folder replaces an earlier issue of the
 * same name.
 *
 * @throws CrawlhouseError `bad_model` naming file, line, key and valid values
 */
export async function loadIssues(folders: readonly SqlFolder[]): Promise<Issue[]> {
  return [...(await namedFiles(folders, ISSUES_FOLDER))].map(([name, source]) => readIssue(name, source));
}

function readIssue(name: string, source: SqlFile): Issue {
  const header = checkHeader(IssueHeader, withPresentKeys(source));
  const { file, sql, sqlLine } = source;
  if (['projects', 'segments'].includes(name))
    throw badModel(
      { file, line: 1 },
      `${name} is not a valid name`,
      'it is a reserved key of the setting issues',
    );
  checkThresholds(header, source);
  const tokens = codeOf(sql);
  const scan = pageScan(tokens);
  if (scan !== null && header.cases === undefined) {
    const hint =
      'cases: {has: [{status_code: 404}], has_not: [{status_code: 200}]}, each page by its columns';
    throw badModel({ file, line: 1 }, 'a condition on mart.pages has cases', hint);
  }
  return { name, ...header, sql, isRelation: isRelation(tokens), scan, file, sqlLine };
}

/** Former keys of the header, with the current ones. They are read until version 3 of the contract of mart. */
const FORMER_KEYS: ReadonlyMap<PropertyKey, string> = new Map([['mended_by', 'owner']]);

/** Returns a file whose header has the current keys. Lines are those of the keys in the file. */
function withPresentKeys(source: SqlFile): SqlFile {
  const { file, header, lineOf } = source;
  if (typeof header !== 'object' || header === null || Array.isArray(header)) return source;
  const renamed = new Map<PropertyKey, string>();
  const entries = Object.entries(header).map(([key, value]): [string, unknown] => {
    const present = FORMER_KEYS.get(key);
    if (present === undefined) return [key, value];
    if (Object.hasOwn(header, present)) {
      const place = { file, line: lineOf([key]) };
      throw badModel(place, `${key} is the former name of ${present}, and both are given`, `remove ${key}`);
    }
    renamed.set(present, key);
    return [present, value];
  });
  if (renamed.size === 0) return source;
  return {
    ...source,
    header: Object.fromEntries(entries),
    lineOf: (path) => lineOf(path.map((key, at) => (at === 0 ? (renamed.get(key) ?? key) : key))),
  };
}

/** Checks that the SELECT and the definition use every declared threshold, and no other. */
function checkThresholds(
  { thresholds, definition }: Pick<z.infer<typeof IssueHeader>, 'thresholds' | 'definition'>,
  source: SqlFile,
): void {
  const places = [
    { names: thresholdsOf(source.sql), lineOf: () => source.sqlLine, where: 'the SELECT' },
    { names: thresholdsOf(definition), lineOf: () => source.lineOf(['definition']), where: 'the definition' },
  ];
  const known = Object.keys(thresholds);
  for (const { names, lineOf, where } of places) {
    const unknown = names.find((name) => !known.includes(name));
    if (unknown !== undefined) {
      const hint = `${didYouMean(unknown, known)}thresholds of this header: ${known.join(', ') || 'none'}`;
      throw badModel(
        { file: source.file, line: lineOf() },
        `${where} has $${unknown}, which is not a threshold`,
        hint,
      );
    }
    const missing = known.find((name) => !names.includes(name));
    if (missing === undefined) continue;
    const place = { file: source.file, line: source.lineOf(['thresholds', missing]) };
    throw badModel(place, `the threshold ${missing} is not in ${where}`, `write $${missing} there`);
  }
}

const HEAD = 'select crawl_id , project_id , url ,';
const FROM_PAGES = 'from mart . pages where';
/** Tokens of `AS why ,` */
const AS_WHY = 3;
/** Words that begin the next part of a SELECT after its condition. */
const LATER: readonly string[] = [
  'group',
  'having',
  'window',
  'qualify',
  'order',
  'limit',
  'offset',
  'fetch',
  'using',
  'sample',
  'union',
  'except',
  'intersect',
];

/** The tokens of a SELECT, and the subset without spaces and comments. */
interface Code {
  readonly tokens: readonly SqlToken[];
  readonly code: readonly (SqlToken & { readonly at: number })[];
  /** Places in `code` outside of parentheses. */
  readonly outside: readonly number[];
  /** Some consecutive words, in lowercase. */
  readonly words: (from: number, count: number) => string;
}

function codeOf(sql: string): Code {
  const tokens = sqlTokens(sql);
  const code = tokens.flatMap((token, at) => (isCode(token) ? [{ ...token, at }] : []));
  const words = (from: number, count: number): string =>
    code
      .slice(from, from + count)
      .map(({ text }) => text.toLowerCase())
      .join(' ');
  return { tokens, code, outside: outsideOfParentheses(code), words };
}

/** Returns the position of the first FROM outside of parentheses, after the columns. */
const fromOf = ({ outside, words }: Code): number | undefined =>
  outside.find((at) => words(at, 1) === 'from');

function isRelation(given: Code): boolean {
  const from = fromOf(given) ?? given.code.length;
  return given.outside.some((at) => at < from && nameOf(given.code[at])?.toLowerCase() === 'related_url');
}

/** Returns null for a SELECT of any other form, which then runs as its own query. */
function pageScan(given: Code): PageScan | null {
  const { tokens, code, outside, words } = given;
  const head = HEAD.split(' ').length;
  if (words(0, head) !== HEAD) return null;
  const from = fromOf(given);
  if (from === undefined || words(from, FROM_PAGES.split(' ').length) !== FROM_PAGES) return null;
  const isRelated = words(from - 2, 2) === 'as related_url';
  const why = isRelated ? outside.find((at) => words(at, 3) === 'as why ,') : from - 2;
  if (why === undefined || words(why, 2) !== 'as why') return null;
  const where = from + FROM_PAGES.split(' ').length;
  if (outside.some((at) => at >= where && LATER.includes(nameOf(code[at])?.toLowerCase() ?? ''))) return null;
  const part = (first: number, end: number): string =>
    textOf(tokens.slice(code[first]?.at, end < code.length ? code[end]?.at : undefined)).trim();
  return {
    why: part(head, why),
    related: isRelated ? part(why + AS_WHY, from - 2) : null,
    condition: part(where, code.length),
  };
}

function outsideOfParentheses(code: readonly SqlToken[]): number[] {
  let depth = 0;
  return code.flatMap(({ text, kind }, at) => {
    if (kind === 'sign' && text === ')') depth--;
    const isOutside = depth === 0;
    if (kind === 'sign' && text === '(') depth++;
    return isOutside ? [at] : [];
  });
}
