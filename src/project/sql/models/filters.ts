import { z } from 'zod';
import { text } from '../../../core/duckdb/duckdb.ts';
import { checkCondition, conditionParts } from '../segments/written-condition.ts';
import { giveTables } from '../text/given-tables.ts';
import type { SqlFile } from '../text/sql-file.ts';
import { firstWord } from '../text/sql-tree.ts';
import { checkHeader } from './check-header.ts';
import type { Model } from './model.ts';
import { FILTERS_FOLDER, namedFiles, type SqlFolder } from './sql-folders.ts';

const FilterHeader = z.strictObject({
  title: z.string().min(1),
  description: z.string().min(1),
});

/** A filter of pages that is kept by a name: one file under `sql/filters/`. */
export interface SavedFilter extends z.infer<typeof FilterHeader> {
  /** The file's name: `articles`. */
  readonly name: string;
  /** A condition on columns of `mart.pages`, as SQL. It may end in a comment, so a line break belongs behind it. */
  readonly condition: string;
  /** As errors show it: `sql/filters/<name>.sql`. */
  readonly file: string;
  /** The line of the file on which the condition begins. */
  readonly line: number;
}

/**
 * Reads the saved filters of some folders, ordered by name; one of a later folder takes the place of one of its name in
 * an earlier folder. `planModels` checks the condition against the columns of `mart.pages`.
 *
 * @throws CrawlhouseError `bad_model` naming file, line, key and what would work
 */
export async function loadFilters(folders: readonly SqlFolder[]): Promise<readonly SavedFilter[]> {
  return [...(await namedFiles(folders, FILTERS_FOLDER))].map(([name, source]) => readFilter(name, source));
}

function readFilter(name: string, source: SqlFile): SavedFilter {
  const header = checkHeader(FilterHeader, source);
  const place = firstWord(source.sql, { file: source.file, line: source.sqlLine });
  const condition = source.sql.trim();
  checkCondition(condition, place);
  return { name, ...header, condition, ...place };
}

/** A model, with a SELECT in place of `filters.found`: the pages that each saved filter lets through. */
export function withFilters(model: Model, filters: readonly SavedFilter[]): Model {
  const { sql, given } = giveTables(model.sql, 'filters', { found: () => found(filters) });
  const parts = filters.flatMap(({ condition, file, line }) => conditionParts(condition, { file, line }));
  return given.size === 0 ? model : { ...model, sql, parts };
}

/** One SELECT each: a reader who asks for one filter makes the engine leave out the others. */
function found(filters: readonly SavedFilter[]): string {
  const none = 'SELECT crawl_id, project_id, url, CAST(NULL AS VARCHAR) AS name FROM mart.pages WHERE false';
  const selects = filters.map(
    ({ name, condition }) =>
      `SELECT crawl_id, project_id, url, ${text(name)} AS name FROM mart.pages WHERE (${condition}\n)`,
  );
  return selects.join('\nUNION ALL\n') || none;
}
