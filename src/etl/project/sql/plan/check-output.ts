import { type Connection, ident } from '../../../../core/duckdb/duckdb.ts';
import { nodesOf, type SqlNode, serializeSql } from '../../../../core/duckdb/serialize-sql.ts';
import { describeColumns } from '../../../../core/duckdb/table-columns.ts';
import type { Segmentation } from '../../settings/segments.ts';
import type { Model } from '../models/model.ts';
import { segmentParts, segmentRows } from '../segments/segment-rows.ts';
import { badModel, type SqlPlace } from '../text/bad-model.ts';
import { firstWord } from '../text/sql-tree.ts';
import type { OutputList, PlacedSql } from './inspect-model.ts';
import { describedColumn, isWildcard } from './wildcard-columns.ts';

/** The output columns of a SELECT, with their types. */
export type OutputColumns = ReadonlyMap<string, string>;

/**
 * Binds the SQL of a model without running it, and checks its output against its header.
 *
 * @param placed reads no models: `emptyModel` replaces each
 * @throws CrawlhouseError `bad_model` with the line that does not bind or is not declared
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
      throw badModel(firstWord(sql, start), `returns two columns ${name}`);
    if (describedColumn(model, name) !== undefined) continue;
    throw badModel(header, `the column ${name} is not declared`, `columns: ${name}: DESCRIPTION`);
  }
  const types = new Map(columns);
  for (const name of model.columns.keys()) {
    if (isWildcard(name) || types.has(name)) continue;
    const place = { file: model.file, line: model.lineOf(['columns', name]) };
    const hint = `it returns ${[...types.keys()].join(', ')}`;
    throw badModel(place, `the SELECT returns no column ${name}`, hint);
  }
  return types;
}

/**
 * Binds SQL without running it.
 *
 * @param placed reads no models, as for `checkOutput`
 * @throws CrawlhouseError `bad_model` with DuckDB's line
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
  throw badModel(placed.start, `is not a condition: its value is ${type}, not true or false`, hint);
}

/**
 * Checks the conditions of segments.yaml against the columns of `mart.pages`, if models already exist.
 *
 * @throws CrawlhouseError `bad_segments` naming file, line, key and valid values
 */
export async function checkSegments(
  connection: Connection,
  segmentations: readonly Segmentation[],
  columns: OutputColumns,
): Promise<void> {
  segmentRows(segmentations, columns);
  for (const { condition, placeOf } of segmentations.flatMap(({ segments }) => segments))
    if (condition.kind === 'sql') await refuseQueries(connection, condition.condition, placeOf());
  for (const { sql, place, isCondition } of segmentParts(segmentations, columns))
    await checkCondition(connection, { sql, start: place }, isCondition);
}

/**
 * Refuses subqueries in conditions, as found by DuckDB's parser. Binding a condition without a subquery reads no file
 * and no URL.
 *
 * @throws CrawlhouseError `bad_segments`
 */
async function refuseQueries(connection: Connection, condition: string, start: SqlPlace): Promise<void> {
  const {
    error,
    error_message: why,
    statements = [],
  } = await serializeSql(connection.inner, `SELECT 1 WHERE (${condition}\n)`);
  if (error) throw badModel(start, why ?? 'is not a single condition');
  const [statement, second] = statements;
  const isOne = second === undefined && statement?.node.type === 'SELECT_NODE';
  const isQuery = ({ class: kind, type }: SqlNode): boolean =>
    kind === 'SUBQUERY' || type === 'TABLE_FUNCTION';
  if (isOne && ![...nodesOf(statement.node)].some(isQuery)) return;
  throw badModel(start, isOne ? 'has a subquery in its condition' : 'is not a single condition');
}

/** Returns an empty relation with the columns of a model, which need not be built. */
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
      const rows = await describeColumns(connection, sql);
      return rows.map((row) => [row.column_name, row.column_type] as const);
    });
  } catch (error) {
    throw bindError(error, start);
  }
}

/** Splits DuckDB's error: the first line is the message, `LINE n:` the place, and the lines between are suggestions. */
function bindError(error: unknown, start: SqlPlace): Error {
  const message = error instanceof Error ? error.message : String(error);
  const line = Number(/^LINE (\d+):/m.exec(message)?.[1] ?? 1);
  const [first = '', ...rest] = message.split(/\n+LINE \d+:/)[0]?.split('\n') ?? [];
  const what = first.replace(/^(Binder|Catalog|Parser|Invalid Input) Error: /, '');
  return badModel({ ...start, line: start.line + line - 1 }, what, rest.join(' ').trim(), error);
}
