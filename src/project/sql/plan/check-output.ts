import { type Connection, ident } from '../../../core/duckdb/duckdb.ts';
import type { Model } from '../models/model.ts';
import { badModel, type SqlPlace } from '../text/bad-model.ts';
import { firstWord } from '../text/sql-tree.ts';
import type { OutputColumn, PlacedSql } from './inspect-model.ts';
import { describedColumn, isWildcard } from './wildcard-columns.ts';

/** The columns that a SELECT puts out, with their types. */
export type OutputColumns = ReadonlyMap<string, string>;

/**
 * Binds the SQL of a model without running it, and checks its output against its header.
 *
 * @param placed reads no models: `emptyModel` stands for each
 * @throws CrawlhouseError `bad_model` with the line of what does not bind or is not declared
 */
export async function checkOutput(
  connection: Connection,
  model: Model,
  placed: PlacedSql,
): Promise<OutputColumns> {
  const { sql, start } = placed;
  const columns = await describe(connection, placed);
  const header = { file: model.file, line: model.lineOf(['columns']) };
  for (const [index, column] of columns.entries()) {
    if (columns.findIndex((other) => other.name === column.name) < index) {
      throw badModel(firstWord(sql, start), `puts out two columns ${column.name}`);
    }
    if (describedColumn(model, column.name) !== undefined) continue;
    throw badModel(
      header,
      `the column ${column.name} is not declared`,
      `columns: ${column.name}: what it holds`,
    );
  }
  for (const name of model.columns.keys()) {
    if (isWildcard(name) || columns.some((column) => column.name === name)) continue;
    const place = { file: model.file, line: model.lineOf(['columns', name]) };
    const names = columns.map((column) => column.name).join(', ');
    throw badModel(place, `the SELECT puts out no column ${name}`, `it puts out ${names}`);
  }
  return new Map(columns.map((column) => [column.name, column.type]));
}

/**
 * Binds some SQL without running it.
 *
 * @param placed reads no models, as for `checkOutput`
 * @throws CrawlhouseError `bad_model` with the line that DuckDB names
 */
export async function checkBinds(connection: Connection, placed: PlacedSql): Promise<OutputColumns> {
  const columns = await describe(connection, placed);
  return new Map(columns.map((column) => [column.name, column.type]));
}

/**
 * Binds a part of a model's SQL (`Model.parts`).
 *
 * @param isCondition whether its column `why` must be true or false
 * @throws CrawlhouseError as `checkBinds`
 */
export async function checkCondition(
  connection: Connection,
  placed: PlacedSql,
  isCondition: boolean,
): Promise<void> {
  const type = (await checkBinds(connection, placed)).get('why');
  if (type === 'BOOLEAN' || !isCondition) return;
  const hint = 'compare it with a value, as in depth > 3';
  throw badModel(placed.start, `is no condition: its value is ${type}, not true or false`, hint);
}

/** An empty relation with the columns of a model, which need not be built. */
export function emptyModel(columns: OutputColumns): string {
  const nulls = [...columns].map(([name, type]) => `CAST(NULL AS ${type}) AS ${ident(name)}`);
  return `SELECT ${nulls.join(', ')} WHERE false`;
}

async function describe(
  connection: Connection,
  { sql, start, remember = (work) => work() }: PlacedSql,
): Promise<OutputColumn[]> {
  try {
    return await remember(async () => {
      const rows = await connection.rows<{ column_name: string; column_type: string }>(`DESCRIBE ${sql}`);
      return rows.map((row) => ({ name: row.column_name, type: row.column_type }));
    });
  } catch (error) {
    throw bindError(error, start);
  }
}

/**
 * The parts of DuckDB's error: the first line is the message, `LINE n:` the place, and the lines between are
 * suggestions.
 */
function bindError(error: unknown, start: SqlPlace): Error {
  const message = error instanceof Error ? error.message : String(error);
  const line = Number(/^LINE (\d+):/m.exec(message)?.[1] ?? 1);
  const [first = '', ...rest] = message.split(/\n+LINE \d+:/)[0]?.split('\n') ?? [];
  const what = first.replace(/^(Binder|Catalog|Parser|Invalid Input) Error: /, '');
  return badModel({ ...start, line: start.line + line - 1 }, what, rest.join(' ').trim(), error);
}
