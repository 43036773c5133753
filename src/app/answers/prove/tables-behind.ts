import { type Connection, Database, type DuckdbSettings } from '../../../core/duckdb/duckdb.ts';
import { nodesOf, type SqlNode } from '../../../core/duckdb/serialize-sql.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { loadModels } from '../../../etl/project/sql/models/load-models.ts';
import { type SqlSettings, sqlFolders } from '../../../etl/project/sql/models/sql-folders.ts';
import { sqlReferences } from '../../../etl/project/sql/text/sql-references.ts';
import { parseSelect } from '../../../etl/project/sql/text/sql-tree.ts';

/**
 * Returns the tables that a SELECT reads, and those that their models read: names such as `mart.crawl_days` and
 * `raw.crawl_pages`, in alphabetical order.
 *
 * @throws CrawlhouseError `usage` for SQL that is not one SELECT, or names a table as a text; `bad_model`
 */
export async function tablesBehind(
  settings: SqlSettings & DuckdbSettings,
  sql: string,
): Promise<readonly string[]> {
  await using database = await Database.openIn(settings);
  const parser = await database.connect();
  await refuseOther(parser, sql);
  const models = new Map((await loadModels(sqlFolders(settings))).map((model) => [model.name, model]));
  const found = new Set<string>();
  const waiting = [{ sql, file: 'the SQL of the figure', sqlLine: 1 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { tables } = await sqlReferences(parser, next.sql, { file: next.file, line: next.sqlLine });
    for (const { schema, name } of tables) {
      const inMart = `mart.${name}`.toLowerCase();
      // A name without a schema is a model, else a dataset.
      const table =
        schema === '' ? (models.has(inMart) ? inMart : `raw.${name}`) : `${schema}.${name}`.toLowerCase();
      if (found.has(table)) continue;
      found.add(table);
      const model = models.get(table);
      if (model !== undefined) waiting.push(model);
    }
  }
  return [...found].sort();
}

async function refuseOther(parser: Connection, sql: string): Promise<void> {
  const tree = await parseSelect(parser, sql, { file: 'SQL', line: 1 }).catch((cause: unknown) => {
    if (!(cause instanceof CrawlhouseError && cause.code === 'bad_model')) throw cause;
    throw new CrawlhouseError('usage', `prove needs a SELECT: ${cause.message}`, { cause });
  });
  for (const { function: called } of nodesOf(tree))
    if (String((called as SqlNode | undefined)?.function_name).toLowerCase() === 'query_table')
      throw new CrawlhouseError('usage', 'prove does not see the tables of query_table()', {
        hint: 'write the table under FROM',
      });
}
