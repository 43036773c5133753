import type { Connection } from '../core/duckdb.ts';

/**
 * The conversions of staging as SQL macros: each takes the text of a value and gives the typed value, or NULL where
 * the text is not equal to it by value (spec-notes.md 31). DuckDB's own casts round (`3.7` becomes 4), so a cast is
 * only believed when its text is the text that came, or when the text is known to be whole.
 *
 * `from_double`: the text was printed by a JSON parser that had held the number as a double if it has a point or an
 * exponent, so beyond 2^53 its digits prove nothing.
 */
const MACROS = [
  `whole_digits(x, from_double) AS CASE
     WHEN regexp_full_match(x, '[+-]?[0-9]+') THEN x
     WHEN regexp_full_match(x, '[+-]?[0-9]+[.]0*')
       AND NOT (from_double AND abs(TRY_CAST(x AS DOUBLE)) >= 9007199254740992)
       THEN regexp_extract(x, '^[+-]?[0-9]+')
     WHEN regexp_full_match(x, '[+-]?[0-9]([.][0-9]{1,14})?[eE][+]?[0-9]{1,2}')
       AND abs(TRY_CAST(x AS DOUBLE)) < 9007199254740992
       AND TRY_CAST(x AS DOUBLE) = floor(TRY_CAST(x AS DOUBLE))
       THEN CAST(CAST(TRY_CAST(x AS DOUBLE) AS BIGINT) AS VARCHAR)
   END`,
  `to_whole(x, from_double) AS CASE
     WHEN CAST(TRY_CAST(x AS BIGINT) AS VARCHAR) = x THEN TRY_CAST(x AS BIGINT)
     ELSE TRY_CAST(whole_digits(x, from_double) AS BIGINT)
   END`,
  'to_wide(x, from_double) AS TRY_CAST(whole_digits(x, from_double) AS DECIMAL(38,0))',
  `to_real(x) AS CASE
     WHEN abs(TRY_CAST(x AS DOUBLE)) < 9007199254740992 THEN TRY_CAST(x AS DOUBLE)
     WHEN isfinite(TRY_CAST(x AS DOUBLE)) AND (
       NOT regexp_full_match(x, '[+-]?[0-9]+([.]0*)?')
       OR TRY_CAST(TRY_CAST(x AS DOUBLE) AS HUGEINT) = TRY_CAST(regexp_extract(x, '^[+-]?[0-9]+') AS HUGEINT)
     ) THEN TRY_CAST(x AS DOUBLE)
   END`,
  `to_bool(x) AS CASE x
     WHEN 'true' THEN true WHEN 'false' THEN false WHEN 'True' THEN true WHEN 'False' THEN false
   END`,
  // Without a digit it is `infinity` or `epoch`, which DuckDB takes for 1900-01-01.
  "to_date(x) AS CASE WHEN regexp_matches(x, '[0-9]') THEN CAST(try_strptime(x, '%Y-%m-%d') AS DATE) END",
  // The general form asks ICU for the zone, which is ten times slower than the one that nearly every value has.
  `to_datetime(x) AS CASE
     WHEN suffix(x, ' UTC') THEN make_timestamptz(epoch_us(try_strptime(x, '%Y/%m/%d %H:%M:%S UTC')))
     WHEN regexp_full_match(x, '.* [+-][0-9:]+') THEN try_strptime(x, '%Y/%m/%d %H:%M:%S %z')
     WHEN regexp_matches(x, '[0-9]') THEN try_strptime(x, '%Y/%m/%d %H:%M:%S %Z')
   END`,
  'to_text(x) AS x',
  // A lone value, an array and null all arrive for a field of arity many (wire-facts.md).
  `json_elements(x) AS CASE
     WHEN x IS NULL THEN NULL
     WHEN json_type(x) = 'ARRAY' THEN from_json(x, '["VARCHAR"]')
     ELSE [x ->> '$']
   END`,
  `csv_elements(x) AS CASE
     WHEN x IS NULL THEN NULL
     WHEN prefix(x, '[') AND json_valid(x) THEN from_json(x, '["VARCHAR"]')
     ELSE [x]
   END`,
  `json_list(x) AS CASE
     WHEN x IS NULL THEN NULL WHEN json_type(x) = 'ARRAY' THEN x ELSE json_array(x)
   END`,
  'csv_json(x) AS CASE WHEN json_valid(x) THEN json(x) ELSE to_json(x) END',
];

/** Defines the macros for one connection. */
export async function defineMacros(connection: Connection): Promise<void> {
  for (const macro of MACROS) await connection.run(`CREATE OR REPLACE TEMP MACRO ${macro}`);
}
