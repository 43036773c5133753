import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  DuckDBTypeId,
  type DuckDBValue,
} from '@duckdb/node-api';
import { prepareOne } from '../../../core/duckdb/one-statement.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';

/** Texts for the `$name`s of a statement, by name; null is NULL. */
export type ParameterTexts = ReadonlyMap<string, string | null>;

/** Values of `$name` in a statement, by name. */
export type Parameters = Readonly<Record<string, DuckDBValue>>;

interface TypedParameter {
  /** DuckDB's name of the type. */
  readonly type: string;
  readonly value: DuckDBValue;
}

/**
 * Converts texts to the types that DuckDB infers for the `$name`s of a statement. A text stays a text if DuckDB infers
 * no type. An empty text stays empty, null is NULL.
 *
 * @throws CrawlhouseError `usage` that names a missing, unknown or mistyped parameter; `bad_query`
 */
export async function bindParameters(
  connection: DuckDBConnection,
  sql: string,
  given: ParameterTexts,
): Promise<Parameters> {
  const statement = await prepareOne(connection, sql);
  try {
    return await valuesOf(connection, statement, given);
  } finally {
    statement.destroySync();
  }
}

/** Does the same for a prepared statement. */
export async function valuesOf(
  connection: DuckDBConnection,
  statement: DuckDBPreparedStatement,
  given: ParameterTexts,
): Promise<Parameters> {
  const typed = await typedParameters(connection, statement, given);
  return Object.fromEntries([...typed].map(([name, { value }]) => [name, value]));
}

/** Returns the values of a statement's `$name`s with their types. */
export async function typedParameters(
  connection: DuckDBConnection,
  statement: DuckDBPreparedStatement,
  given: ParameterTexts,
): Promise<ReadonlyMap<string, TypedParameter>> {
  const names = Array.from({ length: statement.parameterCount }, (_, n) => statement.parameterName(n + 1));
  checkNames(names, given);
  const typed = new Map<string, TypedParameter>();
  for (const [index, name] of names.entries()) {
    const type = typeOf(statement, index + 1);
    const text = given.get(name) ?? null;
    typed.set(name, { type, value: text === null ? null : await cast(connection, name, text, type) });
  }
  return typed;
}

function checkNames(names: readonly string[], given: ReadonlyMap<string, string | null>): void {
  const takes = names.length > 0 ? `the SQL needs ${names.map((name) => `$${name}`).join(', ')}` : '';
  const missing = names.find((name) => !given.has(name));
  if (missing !== undefined) {
    throw new CrawlhouseError('usage', `parameter $${missing} has no value`, {
      hint: /^\d+$/.test(missing)
        ? 'name the parameters: $crawl in the SQL, --param crawl=VALUE'
        : `--param ${missing}=VALUE`,
    });
  }
  const unknown = [...given.keys()].find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new CrawlhouseError('usage', `--param ${unknown}: the SQL has no $${unknown}`, {
    hint: takes || 'write $name where the value belongs',
  });
}

/** Returns the parameter's type. DuckDB names no type for a parameter that may have any type. */
function typeOf(statement: DuckDBPreparedStatement, position: number): string {
  const known = statement.parameterTypeId(position) !== DuckDBTypeId.INVALID;
  return known ? String(statement.parameterType(position)) : 'VARCHAR';
}

async function cast(
  connection: DuckDBConnection,
  name: string,
  text: string,
  type: string,
): Promise<DuckDBValue> {
  if (type === 'VARCHAR') return text;
  try {
    // The type name comes from DuckDB; the value is bound.
    const result = await connection.runAndReadAll(`SELECT CAST($1 AS ${type})`, [text]);
    return result.getRows()[0]?.[0] ?? null;
  } catch (cause) {
    throw new CrawlhouseError('usage', `--param ${name}=${text}: not a ${type}`, {
      cause,
      hint: `give ${name} as a ${type}`,
    });
  }
}
