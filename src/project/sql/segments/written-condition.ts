import { isCode, sqlTokens } from '../../../core/duckdb/sql-tokens.ts';
import { badModel, type SqlPlace } from '../text/bad-model.ts';

const HINT = "one condition on columns of mart.pages, as in is_indexable AND url_first_path = '/blog/'";

/**
 * Checks what the words of a condition that a person wrote tell. `planModels` checks the rest, by `conditionParts`.
 *
 * @throws CrawlhouseError for no condition, or one with a subquery
 */
export function checkCondition(condition: string, place: SqlPlace): void {
  const code = sqlTokens(condition).filter(isCode);
  if (code.length === 0) throw badModel(place, 'has no condition', HINT);
  if (code.some((token) => token.text.toLowerCase() === 'select'))
    throw badModel(place, 'has a SELECT in its condition', HINT);
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
