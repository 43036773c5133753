import type { Connection } from '../../../../../src/core/duckdb/duckdb.ts';
import { rowsSql } from '../../../../../src/etl/pipeline/transform/tests/model-cases.ts';
import type { Issue } from '../../../../../src/etl/project/sql/models/load-issues.ts';
import { defaultSetting, withNumbers } from '../../../../../src/etl/project/sql/models/tune-issues.ts';
import type { PlannedModel } from '../../../../../src/etl/project/sql/plan/plan-models.ts';

/** Pages of the cases of an issue: their crawl tells which. One has no values at all. */
export function casePages({ name, cases }: Issue): Record<string, unknown>[] {
  const all = [
    ...(cases?.has ?? []).map((page) => ({ page, what: 'has' })),
    ...(cases?.has_not ?? []).map((page) => ({ page, what: 'has_not' })),
    { page: {}, what: 'nothing_known' },
  ];
  return all.map(({ page, what }, at) => {
    const url = typeof page.url === 'string' ? page.url : `https://example.org/${name}/${what}/${at}`;
    return { crawl_id: `${name} ${at} ${what}`, project_id: 'p', ...page, url };
  });
}

/** The columns of `mart.pages` as it is planned. */
export const pageColumns = (plan: readonly PlannedModel[]): Record<string, string> =>
  Object.fromEntries(plan.find(({ model }) => model.name === 'mart.pages')?.outputs ?? []);

/** Makes `mart.pages` of some rows. */
export const createPages = (
  connection: Connection,
  columns: Readonly<Record<string, string>>,
  pages: readonly object[],
): Promise<unknown> => connection.run(`CREATE OR REPLACE TABLE mart.pages AS ${rowsSql(columns, pages)}`);

/** The findings of an issue's SELECT, or of another one in its place, by crawl; a page is not related to itself. */
export const findIn = (
  connection: Connection,
  issue: Issue,
  sql = issue.sql,
): Promise<Record<string, unknown>[]> =>
  connection.jsonRows(
    `SELECT crawl_id, why, ${issue.isRelation ? "nullif(nullif(related_url, url), '')" : 'NULL'} AS related_url
     FROM (${withNumbers(sql, defaultSetting(issue))}\n) AS found ORDER BY ALL`,
  );
