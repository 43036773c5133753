import { OqlError } from '../../../../client/oql/parse-oql.ts';
import { text } from '../../../../core/duckdb/duckdb.ts';
import { isCode, sqlTokens } from '../../../../core/duckdb/sql-tokens.ts';
import { didYouMean } from '../../../../core/text/nearest-name.ts';
import { oqlPath, type Segment, type Segmentation } from '../../settings/segments.ts';
import { badModel, type SqlPlace } from '../text/bad-model.ts';
import { type ColumnTypes, oqlCondition } from './oql-condition.ts';

/** The column that `withPath` adds. The leading _ marks it as ours: no column of `mart.pages` has one. */
const PATH = '_path';

const COLUMNS = 'crawl_id, project_id, url, page_key, url_key';

/** A SELECT of the pages of all segments without rows, used until the columns of `mart.pages` are known. */
export const UNTIL_PLANNED = `SELECT ${COLUMNS}, CAST(NULL AS VARCHAR) AS segmentation, CAST(NULL AS VARCHAR) AS segment
  FROM mart.pages
  WHERE false AND project_id IN (SELECT projects.project_id FROM mart.projects AS projects)`;

/**
 * Returns a SELECT of COLUMNS, segmentation and segment: one row for each page and each segmentation of segments.yaml
 * in which it has a segment.
 *
 * @param only the place of the only segmentation to return
 * @throws CrawlhouseError `bad_segments` for a field that is not a column of `mart.pages`, or a value that does not
 *   fit it
 */
export function segmentRows(
  segmentations: readonly Segmentation[],
  columns: ColumnTypes,
  only: number | null = null,
): string {
  const selects = segmentations.map(
    ({ name, segments, rest }, at) => `SELECT ${COLUMNS}, ${text(name)} AS segmentation, segment
  FROM (
    SELECT
      ${COLUMNS},
      CASE
        ${segments.map((segment) => `WHEN ${conditionOf(segment, columns)}\n        THEN ${text(segment.name)}`).join('\n        ')}
        ${rest === null ? '' : `ELSE ${text(rest)}`}
      END AS segment
    FROM ${segments.some(({ condition }) => condition.kind === 'url') ? withPath() : 'mart.pages'}
    WHERE ${projectsOf(segmentations, at) ?? 'true'}
  ) AS placed
  WHERE segment IS NOT NULL`,
  );
  return selects.filter((_, at) => only === null || at === only).join('\n  UNION ALL\n  ') || UNTIL_PLANNED;
}

/** Returns a SELECT of segmentation and project_id: the segmentations of the service that segments.yaml replaces. */
export function replacedRows(segmentations: readonly Segmentation[]): string {
  const selects = segmentations.map(({ name }, at) => {
    const condition = projectsOf(segmentations, at);
    return `SELECT ${text(name)} AS segmentation, project_id FROM mart.pages${condition === null ? '' : ` WHERE ${condition}`}`;
  });
  return selects.join(' UNION ') || 'SELECT crawl_id AS segmentation, project_id FROM mart.pages WHERE false';
}

/** Returns the parts of conditions, by which `planModels` finds a faulty condition. */
export function segmentParts(
  segmentations: readonly Segmentation[],
  columns: ColumnTypes,
): ReturnType<typeof conditionParts> {
  return segmentations.flatMap(({ segments }) =>
    segments.flatMap((segment) => {
      const { condition, placeOf } = segment;
      if (condition.kind === 'url') return [];
      if (condition.kind === 'sql') return conditionParts(condition.condition, blockPlace(segment));
      return conditionParts(conditionOf(segment, columns), placeOf()).slice(-1);
    }),
  );
}

/**
 * Returns the place of a condition. A condition of several lines is a YAML block, which begins on the line after its
 * key.
 */
function blockPlace({ condition, placeOf }: Segment): SqlPlace {
  const place = placeOf();
  const isBlock = condition.kind === 'sql' && condition.condition.includes('\n');
  return { ...place, line: place.line + (isBlock ? 1 : 0) };
}

function conditionOf(segment: Segment, columns: ColumnTypes): string {
  const { condition, placeOf } = segment;
  if (condition.kind === 'url') return urlCondition(condition.patterns);
  if (condition.kind === 'sql') {
    checkCondition(condition.condition, blockPlace(segment));
    return `(${condition.condition}\n)`;
  }
  try {
    return oqlCondition(condition.tree, columns);
  } catch (error) {
    if (!(error instanceof OqlError)) throw error;
    const near = error.problem === 'unknown_field' ? didYouMean(error.field ?? '', [...columns.keys()]) : '';
    throw badModel(
      placeOf(oqlPath(error.path)),
      error.detail,
      `${near}docs/reference/dictionary.md lists the columns of mart.pages`,
    );
  }
}

/**
 * Returns a condition on the project of a page. Of several segmentations with one name, the first that names the
 * project counts.
 */
function projectsOf(segmentations: readonly Segmentation[], at: number): string | null {
  const own = segmentations[at];
  const before = segmentations.slice(0, at).filter(({ name }) => name === own?.name);
  const conditions = [
    ...(own?.projects ? [isOneOf(own.projects)] : []),
    ...before.flatMap(({ projects }) => (projects ? [`NOT ${isOneOf(projects)}`] : [])),
  ];
  return conditions.length === 0 ? null : conditions.join(' AND ');
}

function isOneOf(projects: readonly string[]): string {
  const host = "split_part(split_part(split_part(projects.start_url, '://', 2), '/', 1), '?', 1)";
  const names = projects.map(text).join(', ');
  const hosts = projects.map((project) => text(project.toLowerCase())).join(', ');
  return `project_id IN (
      SELECT projects.project_id
      FROM mart.projects AS projects
      WHERE projects.project_id IN (${names})
        OR projects.project_name IN (${names})
        OR lower(${host}) IN (${hosts})
        OR lower(split_part(${host}, ':', 1)) IN (${hosts})
    )`;
}

/**
 * Returns a condition on `url` and on the column that `withPath` adds. It is true if any of the patterns matches.
 * Patterns are like those of robots.txt: they match from the start, `*` stands for any characters, and `$` at the end
 * means the end. A pattern that begins with / or * matches the path with the query. Any other pattern matches the whole
 * URL. URLs are compared without normalization.
 */
export function urlCondition(patterns: readonly string[]): string {
  return patterns.map((pattern) => fits(/^[/*]/.test(pattern) ? PATH : 'url', pattern)).join(' OR ');
}

/** Returns `mart.pages`, with the path and the query of each URL. */
export function withPath(): string {
  const rest = "regexp_replace(url, '^[^:/?#]*://[^/?#]*', '')";
  // A path, a query or nothing follows the host. Without a path, the path is /.
  return `(
    SELECT *, CASE WHEN starts_with(${rest}, '/') THEN ${rest} ELSE '/' || ${rest} END AS ${PATH}
    FROM mart.pages
  ) AS pages`;
}

function fits(column: string, pattern: string): string {
  const isWhole = pattern.endsWith('$');
  const parts = (isWhole ? pattern.slice(0, -1) : pattern.replace(/\*+$/, '')).split('*');
  const [first = ''] = parts;
  if (parts.length === 1)
    return isWhole ? `${column} = ${text(first)}` : `starts_with(${column}, ${text(first)})`;
  // A group, because DuckDB turns plain anchored patterns into string tests and treats their anchors as characters.
  const pieces = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return `regexp_matches(${column}, ${text(`^(${pieces.join('.*')})${isWhole ? '$' : ''}`)})`;
}

const CONDITION_HINT =
  "one condition on columns of mart.pages, as in is_indexable AND url_first_path = '/blog/'";

/**
 * Checks the tokens of a condition that a user wrote. `planModels` checks the rest with `conditionParts`.
 *
 * @throws CrawlhouseError for an empty condition, or one with a subquery
 */
export function checkCondition(condition: string, place: SqlPlace): void {
  const code = sqlTokens(condition).filter(isCode);
  if (code.length === 0) throw badModel(place, 'has no condition', CONDITION_HINT);
  const words = code.map((token) => token.text.toLowerCase());
  if (words.includes('select')) throw badModel(place, 'has a SELECT in its condition', CONDITION_HINT);
  if (words.some((word, at) => words[at - 1] === '(' && BEGINS_A_QUERY.has(word)))
    throw badModel(place, 'has a subquery in its condition', CONDITION_HINT);
  if (words.includes(';')) throw badModel(place, 'has more than one statement', CONDITION_HINT);
  let open = 0;
  for (const word of words) {
    open += word === '(' ? 1 : word === ')' ? -1 : 0;
    if (open < 0) throw badModel(place, 'closes a bracket that it does not open', CONDITION_HINT);
  }
}

/** Words after an opening bracket that begin a query without SELECT. */
const BEGINS_A_QUERY: ReadonlySet<string> = new Set(
  'from with values table pivot unpivot summarize describe desc show call pragma'.split(' '),
);

/** A part of the SQL of a model, with its place. */
interface ConditionPart {
  readonly sql: string;
  readonly place: SqlPlace;
  readonly isCondition: boolean;
}

/**
 * Returns probes for a user's condition. Brackets that close those of the model, or words that continue after the
 * condition, break one of the first two. The last one distinguishes a condition from a number, which DuckDB also
 * accepts.
 */
export function conditionParts(condition: string, place: SqlPlace): ConditionPart[] {
  const columns = 'SELECT crawl_id, project_id, url,';
  return [
    `${columns} 1 AS why FROM mart.pages WHERE (${condition}\n)`,
    `${columns} CASE WHEN ${condition}\nTHEN 1 END AS why FROM mart.pages`,
    `${columns} (${condition}\n) AS why FROM mart.pages`,
  ].map((sql, at) => ({ sql, place, isCondition: at === 2 }));
}
