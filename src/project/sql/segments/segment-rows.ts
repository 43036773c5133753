import { text } from '../../../core/duckdb/duckdb.ts';
import { isCode, sqlTokens } from '../../../core/duckdb/sql-tokens.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';
import { OqlError } from '../../../service/api/oql/parse-oql.ts';
import { oqlPath, type Segment, type Segmentation } from '../../settings/segments.ts';
import { badModel, type SqlPlace } from '../text/bad-model.ts';
import { type ColumnTypes, oqlCondition } from './oql-condition.ts';

/** The column that `withPath` adds. Names with a _ are our own: no column of `mart.pages` begins so. */
const PATH = '_path';

const COLUMNS = 'crawl_id, project_id, url, page_key, url_key';

/** A SELECT of the pages of all segments, where it is not known yet which columns `mart.pages` has: no rows. */
export const UNTIL_PLANNED = `SELECT ${COLUMNS}, CAST(NULL AS VARCHAR) AS segmentation, CAST(NULL AS VARCHAR) AS segment
  FROM mart.pages
  WHERE false AND project_id IN (SELECT projects.project_id FROM mart.projects AS projects)`;

/**
 * A SELECT of COLUMNS, segmentation and segment: one row for each page and segmentation of segments.yaml that it has a
 * segment in.
 *
 * @throws CrawlhouseError `bad_segments` for a field that is no column of `mart.pages`, or a value that does not fit it
 */
export function segmentRows(segmentations: readonly Segmentation[], columns: ColumnTypes): string {
  const selects = segmentations.map(
    ({ name, segments, rest }, at) => `SELECT ${COLUMNS}, ${text(name)} AS segmentation, segment
  FROM (
    SELECT
      ${COLUMNS},
      CASE
        ${segments.map((one) => `WHEN ${conditionOf(one, columns)}\n        THEN ${text(one.name)}`).join('\n        ')}
        ${rest === null ? '' : `ELSE ${text(rest)}`}
      END AS segment
    FROM ${segments.some(({ condition }) => condition.kind === 'url') ? withPath() : 'mart.pages'}
    WHERE ${projectsOf(segmentations, at) ?? 'true'}
  ) AS placed
  WHERE segment IS NOT NULL`,
  );
  return selects.join('\n  UNION ALL\n  ') || UNTIL_PLANNED;
}

/** A SELECT of segmentation and project_id: what segments.yaml says in the place of a segmentation of the service. */
export function replacedRows(segmentations: readonly Segmentation[]): string {
  const selects = segmentations.map(({ name }, at) => {
    const condition = projectsOf(segmentations, at);
    return `SELECT ${text(name)} AS segmentation, project_id FROM mart.pages${condition === null ? '' : ` WHERE ${condition}`}`;
  });
  return selects.join(' UNION ') || 'SELECT crawl_id AS segmentation, project_id FROM mart.pages WHERE false';
}

/** The parts of conditions that `planModels` finds the one at fault by. */
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

/** A condition of several lines is a block, which begins under its key. */
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
      `${near}docs/reference/dictionary.md lists those of mart.pages`,
    );
  }
}

/** A condition on the project of a page: of several segmentations of one name, the first that names it counts. */
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
  const hosts = projects.map((one) => text(one.toLowerCase())).join(', ');
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
 * A condition on `url`, and on what `withPath` adds, that holds where one of some patterns fits. A pattern is one of
 * robots.txt: it must fit from the start, `*` stands for any characters, and `$` at its end for the end. One that begins
 * with / or * is for the path with the query, another one for the whole URL. URLs are compared as they are written.
 */
export function urlCondition(patterns: readonly string[]): string {
  return patterns.map((pattern) => fits(/^[/*]/.test(pattern) ? PATH : 'url', pattern)).join(' OR ');
}

/** `mart.pages`, with the path and the query of each URL. */
export function withPath(): string {
  const rest = "regexp_replace(url, '^[^:/?#]*://[^/?#]*', '')";
  // What follows the host is a path, else a query or nothing: then the path is /.
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
  // A group, because DuckDB makes plain anchored patterns string tests, and takes their anchors for letters.
  const pieces = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return `regexp_matches(${column}, ${text(`^(${pieces.join('.*')})${isWhole ? '$' : ''}`)})`;
}

const CONDITION_HINT =
  "one condition on columns of mart.pages, as in is_indexable AND url_first_path = '/blog/'";

/**
 * Checks what the words of a condition that a person wrote tell. `planModels` checks the rest, by `conditionParts`.
 *
 * @throws CrawlhouseError for no condition, or one with a subquery
 */
export function checkCondition(condition: string, place: SqlPlace): void {
  const code = sqlTokens(condition).filter(isCode);
  if (code.length === 0) throw badModel(place, 'has no condition', CONDITION_HINT);
  if (code.some((token) => token.text.toLowerCase() === 'select'))
    throw badModel(place, 'has a SELECT in its condition', CONDITION_HINT);
}

/** A part of the SQL of a model, with where it stands. */
interface ConditionPart {
  readonly sql: string;
  readonly place: SqlPlace;
  readonly isCondition: boolean;
}

/**
 * Brackets that close those of the model, and words that go on behind a condition: each stops one of the first two. The
 * last one tells a condition from a number, which DuckDB takes for one.
 */
export function conditionParts(condition: string, place: SqlPlace): ConditionPart[] {
  const columns = 'SELECT crawl_id, project_id, url,';
  return [
    `${columns} 1 AS why FROM mart.pages WHERE (${condition}\n)`,
    `${columns} CASE WHEN ${condition}\nTHEN 1 END AS why FROM mart.pages`,
    `${columns} (${condition}\n) AS why FROM mart.pages`,
  ].map((sql, at) => ({ sql, place, isCondition: at === 2 }));
}
