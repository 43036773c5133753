import type { DuckDBPreparedStatement, DuckDBValue } from '@duckdb/node-api';
import { type Connection, ident, text } from '../../../core/duckdb/duckdb.ts';
import { prepareOne } from '../../../core/duckdb/one-statement.ts';
import { nodesOf, type SqlNode } from '../../../core/duckdb/serialize-sql.ts';
import { tableColumns } from '../../../core/duckdb/table-columns.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Dialect } from '../../../etl/engines/engine.ts';
import { engineKind } from '../../../etl/engines/registry.ts';
import { replaceParameters } from '../../../etl/project/sql/questions/question-parameters.ts';
import { findNonPortable } from '../../../etl/project/sql/text/portable-sql.ts';
import { replaceTables } from '../../../etl/project/sql/text/replace-tables.ts';
import { sqlReferences } from '../../../etl/project/sql/text/sql-references.ts';
import { parseSelect } from '../../../etl/project/sql/text/sql-tree.ts';
import { type TableReference, tableReferences } from '../../../etl/project/sql/text/table-references.ts';
import type { AnswerColumn, EngineStatement, StatementRequest } from './engine-statement.ts';
import { type ParameterTexts, typedParameters } from './parameters.ts';
import type { ReadOnlyStatement } from './read-only-statement.ts';
import { placeName, placeOf, type RowsFilter, type RowsPage } from './result/page-of-rows.ts';
import { typeName } from './result/result-rows.ts';

const PLACE = { file: 'SQL', line: 1 };
/** Table functions whose argument names a table as a text. Its rows are remote. */
const BY_NAME: ReadonlySet<string> = new Set(
  'query_table histogram histogram_values summary duckdb_table_sample pragma_storage_info'.split(' '),
);

/**
 * Binds a statement to the catalog, and translates it for the engine that stores the rows.
 *
 * @returns null if the catalog contains all rows that the statement reads: those of `ops` and of lists
 * @throws CrawlhouseError `bad_query` for statements that the engine does not support; errors of DuckDB
 */
export async function planRemote(
  connection: Connection,
  { explain, select }: ReadOnlyStatement,
  { parameters, page, engine }: StatementRequest,
): Promise<EngineStatement | null> {
  const { title, dialect: open } = engineKind(engine);
  const dialect = await open?.(engine.schemaPrefix);
  if (dialect === undefined) return null;
  const tree = await parseSelect(connection, select, PLACE);
  const here = await tablesInCatalog(connection);
  const isRemote = (reference: TableReference): boolean =>
    ['raw', 'mart'].includes(reference.schema.toLowerCase()) && !here.has(nameOf(reference));
  refuseByName(tree, title);
  // The catalog is enough for tables that are only described.
  const isRead = ({ type, show_type }: SqlNode): boolean => type !== 'SHOW_REF' || show_type === 'SUMMARY';
  if (!tableReferences(tree, isRead).some(isRemote)) return null;
  if (hasShow(tree))
    throw refused(
      'SUMMARIZE and DESCRIBE cannot be part of another statement',
      'name the columns one by one',
    );
  await refuseNonPortable(connection, select, title);
  const { bound, columns } = await withValues(connection, select, parameters);
  const translated = dialect.translate(await onReaders(connection, bound, { dialect, title }));
  if (explain !== '') {
    const analyze = /ANALYZE/i.test(explain) ? 'ANALYZE ' : '';
    return {
      sql: `EXPLAIN ${analyze}${translated.trimStart()}`,
      columns: [{ name: 'Query Plan', type: 'VARCHAR' }],
      skip: 0,
      picked: null,
    };
  }
  if (page !== undefined) return pageElsewhere(dialect, translated, columns, page);
  return { sql: translated, columns, skip: 0, picked: null };
}

/** `schema.table` as DuckDB resolves it, in lowercase. */
const nameOf = ({ schema, name }: TableReference): string => `${schema}.${name}`.toLowerCase();

/** Returns the tables of `raw` whose rows are in the catalog: lists, which have a history. */
async function tablesInCatalog(connection: Connection): Promise<ReadonlySet<string>> {
  const tables = await tableColumns(connection, ['raw']);
  return new Set(
    [...tables]
      .filter(([, columns]) => columns.some(({ name }) => name === '_seen_to'))
      .map(([name]) => name),
  );
}

function hasShow(tree: unknown): boolean {
  return nodesOf(tree).some(({ type }) => type === 'SHOW_REF');
}

function refuseByName(tree: unknown, title: string): void {
  for (const { type, function: called } of nodesOf(tree)) {
    const name = String((called as SqlNode | undefined)?.function_name).toLowerCase();
    if (type === 'TABLE_FUNCTION' && BY_NAME.has(name))
      throw refused(`${name}() cannot read rows in ${title}`, 'write the table under FROM');
  }
}

async function refuseNonPortable(connection: Connection, sql: string, title: string): Promise<void> {
  const [first, ...others] = await findNonPortable(connection, sql, PLACE);
  if (!first) return;
  const lines = [first, ...others].map(
    ({ line, rule, instead }) => `line ${line}: ${rule}; instead: ${instead}`,
  );
  throw refused(`${title} stores the rows, and does not support this SQL\n${lines.join('\n')}`);
}

/** Returns the statement with values instead of its `$name`s, and the columns of its answer. */
async function withValues(
  connection: Connection,
  sql: string,
  given: ParameterTexts,
): Promise<{ readonly bound: string; readonly columns: readonly AnswerColumn[] }> {
  const written = new Map<string, string>();
  using asked = await prepared(connection, sql);
  for (const [name, { type, value }] of await typedParameters(connection.inner, asked.statement, given))
    written.set(name.toLowerCase(), await writtenValue(connection, type, value));
  if (written.size === 0) return { bound: sql, columns: outputColumns(asked.statement) };
  const bound = replaceParameters(sql, (name) => written.get(name) ?? 'NULL');
  // Checks the statement again in the form that runs.
  using answered = await prepared(connection, bound);
  return { bound, columns: outputColumns(answered.statement) };
}

async function prepared(
  connection: Connection,
  sql: string,
): Promise<Disposable & { readonly statement: DuckDBPreparedStatement }> {
  const statement = await prepareOne(connection.inner, sql);
  return { statement, [Symbol.dispose]: () => statement.destroySync() };
}

function outputColumns(statement: DuckDBPreparedStatement): AnswerColumn[] {
  const seen = new Map<string, number>();
  return Array.from({ length: statement.columnCount }, (_, index) => {
    const name = statement.columnName(index);
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    // As in DuckDB's own answers.
    return { name: before === 0 ? name : `${name}:${before}`, type: typeName(statement.columnType(index)) };
  });
}

async function writtenValue(connection: Connection, type: string, value: DuckDBValue): Promise<string> {
  if (value === null) return `CAST(NULL AS ${type})`;
  // LIMIT accepts only a number.
  if (type === 'BIGINT' || type === 'INTEGER') return String(value);
  const zoned = type === 'TIMESTAMP WITH TIME ZONE';
  const shown = zoned ? `strftime($1, '%Y-%m-%d %H:%M:%S.%f UTC')` : `CAST($1 AS VARCHAR)`;
  const written = String(await connection.scalar(`SELECT ${shown}`, [value]));
  return type === 'VARCHAR' ? text(written) : `CAST(${text(written)} AS ${type})`;
}

/** Replaces tables by the views of readers, each with the columns of the catalog in their order. */
async function onReaders(
  connection: Connection,
  sql: string,
  { dialect, title }: { readonly dialect: Dialect; readonly title: string },
): Promise<string> {
  const columns = await tableColumns(connection, ['raw', 'mart', 'ops']);
  const known = new Map([...columns].map(([name, of]) => [name.toLowerCase(), of]));
  const references = await sqlReferences(connection, sql, PLACE);
  return replaceTables(sql, references, (reference) => {
    const of = known.get(nameOf(reference));
    if (of === undefined)
      throw refused(
        `${nameOf(reference)} is not in ${title}`,
        'tables of raw, mart and ops can be read together',
      );
    return `SELECT ${of.map(({ name }) => ident(name)).join(', ')} FROM ${dialect.reader(nameOf(reference))}`;
  });
}

function refused(
  message: string,
  hint = 'the portable form is in docs/models.md, "Portable SQL"',
): CrawlhouseError {
  return new CrawlhouseError('bad_query', `refused: ${message}`, { hint });
}

/**
 * Returns the engine's statement for a page of another statement's answer. Rows of a subquery have no order, so a page
 * without filter and sorting is cut from the answer in its own order. Columns are named by position.
 *
 * @param select in the engine's SQL, without comments and `;`
 */
function pageElsewhere(
  dialect: Dialect,
  select: string,
  columns: readonly AnswerColumn[],
  { columns: wanted, count, filter, sort, limit, offset = 0 }: RowsPage,
): EngineStatement {
  const places = columns.keys().map(placeName).toArray();
  const answer = `(${select}\n) AS answer(${places.join(', ')})`;
  const where = filter === undefined ? '' : ` WHERE ${holds(dialect, filter, columns)}`;
  if (count) {
    const sql = `SELECT count(*) FROM ${answer}${where}`;
    return { sql, columns: [{ name: 'rows', type: 'BIGINT' }], skip: 0, picked: null };
  }
  const names = columns.map(({ name }) => name);
  const picked = wanted?.map((name) => placeOf(names, name)) ?? null;
  const shown = picked?.flatMap((place) => columns[place] ?? []) ?? columns;
  if (filter === undefined && sort === undefined)
    return { sql: select, columns: shown, skip: offset, picked };
  // Otherwise equal values may change their order from page to page.
  const first =
    sort === undefined
      ? []
      : [`${placeName(placeOf(names, sort.column))} ${sort.descending ? 'DESC' : 'ASC'} NULLS LAST`];
  const rows = limit === undefined ? '' : ` ${dialect.slice(offset, limit)}`;
  return {
    sql: `SELECT * FROM ${answer}${where} ORDER BY ${[...first, ...places].join(', ')}${rows}`,
    columns: shown,
    skip: 0,
    picked,
  };
}

function holds(dialect: Dialect, { text, column }: RowsFilter, columns: readonly AnswerColumn[]): string {
  const names = columns.map(({ name }) => name);
  const among = column === undefined ? [...columns.keys()] : [placeOf(names, column)];
  return dialect.contains(
    among.map((place) => ({ name: placeName(place), type: columns[place]?.type ?? '' })),
    text,
  );
}
