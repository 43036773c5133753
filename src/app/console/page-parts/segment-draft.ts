import { z } from 'zod';
import { tableColumns } from '../../../core/duckdb/table-columns.ts';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { parseYaml, YamlFault } from '../../../core/text/parse-yaml.ts';
import { type Typed, typedRows } from '../../../core/text/typed-rows.ts';
import type { WrittenSegmentation } from '../../../etl/project/settings/change-segments.ts';
import type { Segmentation } from '../../../etl/project/settings/segments.ts';
import { checkSegments } from '../../../etl/project/sql/plan/check-output.ts';
import type { ColumnTypes } from '../../../etl/project/sql/segments/oql-condition.ts';
import { segmentRows } from '../../../etl/project/sql/segments/segment-rows.ts';
import type { Readers } from '../readers/readers.ts';

export const RULE_KINDS = ['url', 'sql', 'oql'] as const;
const SAMPLES = 3;

const Rule = z.strictObject({
  segment: z.string(),
  kind: z.enum(RULE_KINDS),
  /** Patterns one per line, SQL, or a filter as YAML. */
  condition: z.string(),
});

/** A segmentation as the form has it. */
export const SegmentDraft = z.strictObject({
  /** The place in segments.yaml, from 0; null: a new one. */
  at: z.number().nullable(),
  /** The file when the form was opened. */
  stamp: z.string(),
  name: z.string(),
  /** Projects, one per line; empty: all. */
  projects: z.string(),
  rules: z.array(Rule),
  /** Empty: pages without a match have no segment. */
  rest: z.string(),
});
export type SegmentDraft = Typed<typeof SegmentDraft>;

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Reads the fields of the form; rules without a name and a condition are left out. */
export function draftOf(fields: URLSearchParams): SegmentDraft {
  const [segments, kinds, conditions] = ['segment', 'kind', 'condition'].map((name) => fields.getAll(name));
  const at = fields.get('at') ?? '';
  return {
    at: /^\d{1,6}$/.test(at) ? Number(at) : null,
    stamp: fields.get('stamp') ?? '',
    name: (fields.get('name') ?? '').trim(),
    projects: fields.get('projects') ?? '',
    rest: (fields.get('rest') ?? '').trim(),
    rules: (segments ?? [])
      .map((segment, index) => ({
        segment: segment.trim(),
        kind: RULE_KINDS.find((kind) => kind === kinds?.[index]) ?? 'url',
        condition: (conditions?.[index] ?? '').replaceAll('\r\n', '\n').trim(),
      }))
      .filter(({ segment, condition }) => segment !== '' || condition !== ''),
  };
}

/** Returns the hidden fields from which `draftOf` restores a draft. */
export function hiddenDraft({ at, stamp, name, projects, rules, rest }: SegmentDraft): Html[] {
  const fields: [string, string][] = [
    ['at', at === null ? '' : String(at)],
    ['stamp', stamp],
    ['name', name],
    ['projects', projects],
    ...rules.flatMap(({ segment, kind, condition }): [string, string][] => [
      ['segment', segment],
      ['kind', kind],
      ['condition', condition],
    ]),
    ['rest', rest],
  ];
  return fields.map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`);
}

export function draftOfWritten(at: number, stamp: string, written: WrittenSegmentation): SegmentDraft {
  return {
    at,
    stamp,
    name: written.name,
    projects: (written.projects ?? []).join('\n'),
    rest: written.else ?? '',
    rules: written.segments.map(({ name: segment, url, oql, sql }) => {
      if (url !== undefined) return { segment, kind: 'url', condition: [url].flat().join('\n') };
      if (sql !== undefined) return { segment, kind: 'sql', condition: sql };
      return { segment, kind: 'oql', condition: stringifyJson(oql) };
    }),
  };
}

/** @throws CrawlhouseError `usage` for a filter that is not YAML */
export function writtenOf({ name, projects, rules, rest }: SegmentDraft): WrittenSegmentation {
  const named = linesOf(projects);
  return {
    name,
    ...(named.length > 0 && { projects: named }),
    segments: rules.map(({ segment, kind, condition }) => ({
      name: segment,
      ...(kind === 'url' && { url: onlyOrAll(linesOf(condition)) }),
      ...(kind === 'sql' && { sql: condition }),
      ...(kind === 'oql' && { oql: filterOf(segment, condition) }),
    })),
    ...(rest !== '' && { else: rest }),
  };
}

const onlyOrAll = (lines: string[]): string | string[] => (lines.length === 1 ? String(lines[0]) : lines);

function filterOf(segment: string, condition: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(parseYaml(condition, { bigints: 'large' }).value);
  } catch (cause) {
    const why = cause instanceof YamlFault ? cause.message : 'it has no keys with values';
    throw new CrawlhouseError('usage', `segment ${segment}: the filter cannot be read: ${why}`, {
      hint: 'write a filter such as { field: [depth, gt, 5] }',
      cause,
    });
  }
}

/**
 * Checks segmentations against the columns of the published `mart.pages`. Does nothing before the first publication.
 *
 * @returns the columns; null before the first publication
 * @throws CrawlhouseError `bad_segments`
 */
export async function checkOnPublished(
  readers: Readers,
  segmentations: readonly Segmentation[],
): Promise<ColumnTypes | null> {
  const types = await readers.published(async (connection) => {
    const columns = (await tableColumns(connection, ['mart'])).get('mart.pages');
    if (columns === undefined) return null;
    const known = new Map(columns.map(({ name, type }) => [name, type]));
    await checkSegments(connection, segmentations, known);
    return known;
  });
  return types ?? null;
}

export const SegmentPreview = z.strictObject({
  crawl_id: z.string(),
  /** All pages of the crawl. */
  pages: z.number(),
  segments: z.array(
    z.strictObject({
      /** Null: pages without a segment. */
      segment: z.string().nullable(),
      pages: z.number(),
      /** The first URLs by name. */
      samples: z.array(z.string()),
    }),
  ),
});
export type SegmentPreview = Typed<typeof SegmentPreview>;

const PreviewRow = z.object({ segment: z.string().nullable(), url: z.string(), pages: z.coerce.number() });

interface PreviewOf {
  readonly segmentations: readonly Segmentation[];
  readonly columns: ColumnTypes;
  readonly draft: SegmentDraft;
  readonly crawl: string;
}

/** Counts the pages of a crawl in each segment of a draft, with the limits of `/ask`. */
export async function previewSegments(
  readers: Readers,
  { segmentations, columns, draft, crawl }: PreviewOf,
  signal: AbortSignal,
): Promise<SegmentPreview> {
  const sql = `SELECT segment, url, pages FROM (
      SELECT placed.segment, pages.url,
        row_number() OVER (PARTITION BY placed.segment ORDER BY pages.url) AS place,
        count(*) OVER (PARTITION BY placed.segment) AS pages
      FROM (SELECT crawl_id, page_key, url FROM mart.pages WHERE crawl_id = $crawl) AS pages
      LEFT JOIN (
        SELECT crawl_id, page_key, segment FROM (
  ${segmentRows(segmentations, columns, draft.at ?? segmentations.length - 1)}
        ) AS named WHERE crawl_id = $crawl
      ) AS placed ON placed.crawl_id = pages.crawl_id AND placed.page_key = pages.page_key
    ) AS counted WHERE place <= ${SAMPLES} ORDER BY segment NULLS LAST, place`;
  const parameters = new Map([['crawl', crawl]]);
  const found = await readers.asking.use((warehouse) => warehouse.rows(sql, signal, parameters));
  const rows = typedRows(PreviewRow, found);
  const groups = Map.groupBy(rows, ({ segment }) => segment);
  const named = [...draft.rules.map(({ segment }) => segment), ...(draft.rest === '' ? [] : [draft.rest])];
  const names = draft.rest === '' || groups.has(null) ? [...named, null] : named;
  const segments = names.map((segment) => {
    const own = groups.get(segment) ?? [];
    return { segment, pages: Number(own[0]?.pages ?? 0), samples: own.map(({ url }) => url) };
  });
  return { crawl_id: crawl, pages: segments.reduce((sum, one) => sum + one.pages, 0), segments };
}

/** Returns the error to show in the form; anything but a refusal of the draft ends the page. */
export function refusalOfDraft(thrown: unknown): { message: string; hint: string | null } {
  const { code, kind, message, hint } = toCrawlhouseError(thrown);
  if (kind !== 'usage' && !['bad_segments', 'bad_query', 'query_limit', 'bad_model'].includes(code))
    throw thrown;
  return { message, hint: hint ?? null };
}
