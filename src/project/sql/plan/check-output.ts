import { type Connection, ident } from '../../../core/duckdb/duckdb.ts';
import type { Segmentation } from '../../settings/segments.ts';
import type { Model } from '../models/model.ts';
import { segmentParts, segmentRows } from '../segments/segment-rows.ts';
import { badModel, type SqlPlace } from '../text/bad-model.ts';
import { firstWord } from '../text/sql-tree.ts';
import type { OutputList, PlacedSql } from './inspect-model.ts';
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
  for (const [index, [name]] of columns.entries()) {
    if (columns.findIndex(([other]) => other === name) < index)
      throw badModel(firstWord(sql, start), `puts out two columns ${name}`);
    if (describedColumn(model, name) !== undefined) continue;
    throw badModel(header, `the column ${name} is not declared`, `columns: ${name}: what it holds`);
  }
  const types = new Map(columns);
  for (const name of model.columns.keys()) {
    if (isWildcard(name) || types.has(name)) continue;
    const place = { file: model.file, line: model.lineOf(['columns', name]) };
    const hint = `it puts out ${[...types.keys()].join(', ')}`;
    throw badModel(place, `the SELECT puts out no column ${name}`, hint);
  }
  return types;
}

/**
 * Binds some SQL without running it.
 *
 * @param placed reads no models, as for `checkOutput`
 * @throws CrawlhouseError `bad_model` with the line that DuckDB names
 */
export async function checkBinds(connection: Connection, placed: PlacedSql): Promise<OutputColumns> {
  return new Map(await describe(connection, placed));
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

/**
 * Checks the conditions of segments.yaml against the columns of `mart.pages`, where there are models already.
 *
 * @throws CrawlhouseError `bad_segments` naming file, line, key and what would work
 */
export async function checkSegments(
  connection: Connection,
  segmentations: readonly Segmentation[],
  columns: OutputColumns,
): Promise<void> {
  segmentRows(segmentations, columns);
  for (const { sql, place, isCondition } of segmentParts(segmentations, columns))
    await checkCondition(connection, { sql, start: place }, isCondition);
}

/** An empty relation with the columns of a model, which need not be built. */
export function emptyModel(columns: OutputColumns): string {
  const nulls = [...columns].map(([name, type]) => `CAST(NULL AS ${type}) AS ${ident(name)}`);
  return `SELECT ${nulls.join(', ')} WHERE false`;
}

async function describe(
  connection: Connection,
  { sql, start, remember = (work) => work() }: PlacedSql,
): Promise<OutputList> {
  try {
    return await remember(async () => {
      const rows = await connection.rows<{ column_name: string; column_type: string }>(`DESCRIBE ${sql}`);
      return rows.map((row) => [row.column_name, row.column_type] as const);
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
