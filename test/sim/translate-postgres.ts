/** The casts that the statements of the shared ledger have. */
const CASTS = /::(?:text|integer|boolean|bigint|double precision)(?:\[\])?/g;

/**
 * Statements of the shared ledger, in the SQL of SQLite: the product's own conditions, keys and orders are run. Rows need
 * no locks, because transactions come one after the other. Arrays are bound as JSON.
 *
 * @returns the statements of a text
 */
export function translatePostgres(sql: string): string[] {
  const text = sql
    .replaceAll('"crawlhouse".', '')
    .replace(/\bCREATE SCHEMA [^;]*/g, '')
    .replace(/\bCREATE INDEX [^;]*/g, '')
    .replaceAll('bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY', 'INTEGER PRIMARY KEY AUTOINCREMENT')
    .replace(/ COLLATE "C"/g, '')
    .replace(CASTS, '')
    .replace(/clock_timestamp\(\) \+ (\$\d+) \* interval '1 millisecond'/g, 'server_time($1)')
    .replace(/clock_timestamp\(\) - interval '1 day'/g, 'server_time(-86400000)')
    .replace(/clock_timestamp\(\)/g, 'server_time(0)')
    .replace(/\bFOR (?:SHARE|UPDATE)(?: OF \w+)?(?: SKIP LOCKED)?/g, '')
    .replace(/EXISTS \(\s*SELECT FROM/g, 'EXISTS (SELECT 1 FROM')
    .replace(/<> ALL \((\$\d+)\)/g, 'NOT IN (SELECT value FROM json_each($1))')
    .replace(
      /unnest\(([^)]*)\)(\s+WITH ORDINALITY)?\s+AS given \(([^)]*)\)/g,
      (_, arrays: string, _ordinal, columns: string) => unnested(arrays.split(','), columns.split(',')),
    )
    .replace(
      /DELETE FROM (\w+) AS queue USING (\w+) AS known\s+WHERE ([\s\S]*)$/,
      'DELETE FROM $1 AS queue WHERE EXISTS (SELECT 1 FROM $2 AS known WHERE $3)',
    )
    .replace(
      /RETURNING queue\.unit, queue\.work, queue\.run_id, queue\.claim/,
      'RETURNING unit, work, run_id, claim',
    )
    // SQLite takes ON CONFLICT for a part of the join.
    .replace(/(AS given)\s+ON CONFLICT/g, '$1 WHERE true ON CONFLICT');
  return text
    .replace(/\$(\d+)/g, '?$1')
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function unnested(arrays: readonly string[], columns: readonly string[]): string {
  const [first = '', ...others] = arrays.map((one) => one.trim());
  const [name, ...names] = columns.map((one) => one.trim());
  const values = [
    `first.value AS ${name}`,
    ...others.map(
      (array, index) =>
        `(SELECT value FROM json_each(${array}) AS other WHERE other.key = first.key) AS ${names[index]}`,
    ),
    ...(names.length > others.length ? [`first.key + 1 AS ${names.at(-1)}`] : []),
  ];
  return `(SELECT ${values.join(', ')} FROM json_each(${first}) AS first) AS given`;
}
