import { type Connection, ConnectionPool } from '../../../core/duckdb/duckdb.ts';

/**
 * Zone abbreviations that mean one offset from UTC, in minutes (docs/decisions/staging.md). An abbreviation is listed
 * if the IANA time zone database has the same offset for it in every place since 1970, and if former releases and the
 * short ids of Java and ICU have no other offset. EST, CST, PST, BST and IST are not, because each names several
 * places.
 */
const ABBREVIATIONS: Readonly<Record<string, number>> = {
  UTC: 0,
  UT: 0,
  UCT: 0,
  GMT: 0,
  Z: 0,
  ZULU: 0,
  UNIVERSAL: 0,
  GREENWICH: 0,
  GMT0: 0,
  WET: 0,
  WEST: 60,
  CET: 60,
  CEST: 120,
  EET: 120,
  EEST: 180,
  AWST: 480,
  JST: 540,
  ACST: 570,
  ACDT: 630,
  AEST: 600,
  AEDT: 660,
  NZST: 720,
  NZDT: 780,
  HST: -600,
  AKST: -540,
  AKDT: -480,
  MST: -420,
  MDT: -360,
  EDT: -240,
};

/** Names of places in the IANA database without a slash. The others look like `Europe/Paris`. */
const PLACES =
  `CUBA EGYPT EIRE GB GB-EIRE HONGKONG ICELAND IRAN ISRAEL JAMAICA JAPAN KWAJALEIN LIBYA NAVAJO NZ NZ-CHAT
  POLAND PORTUGAL PRC ROC ROK SINGAPORE TURKEY W-SU EST5EDT CST6CDT MST7MDT PST8PDT`.split(/\s+/);

/**
 * The conversions of staging as SQL macros. Each takes the text of a value and returns the typed value, or NULL if the
 * two are not equal by value (spec-notes.md 31). DuckDB's own casts round (`3.7` becomes 4), and read `1_0` as 10 and
 * `25-01-02` as a day of the year 25. So a cast is valid only if a cheap test or the form of the text shows that it is
 * correct (docs/decisions/staging.md).
 *
 * `printed`: a JSON parser printed the text. The parser stored a number with a point or an exponent as a double, so
 * digits beyond 2^53 prove nothing.
 */
const MACROS = [
  // Exact arithmetic on the digits: all digits, shifted by the exponent, without zeros after the point.
  `number_parts(x) AS regexp_extract(x, '^\\s*[+]?(-?)([0-9]*)[.]?([0-9]*)(?:[eE]([+-]?[0-9]{1,6}))?\\s*$',
     ['sign', 'whole', 'fraction', 'exponent'])`,
  `is_number(x) AS regexp_full_match(x, '\\s*[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]{1,6})?\\s*')`,
  // A lambda over a list of one names an expression that DuckDB would otherwise plan and evaluate at each use. It may
  // not contain a column of the reader, whose name could equal the lambda's.
  `moved_digits(parts) AS list_transform([{
       sign: parts.sign, digits: parts.whole || parts.fraction,
       places: coalesce(TRY_CAST(parts.exponent AS INTEGER), 0) - len(parts.fraction)}], lambda n: CASE
     WHEN ltrim(n.digits, '0') = '' THEN '0'
     WHEN n.places BETWEEN 0 AND 40 THEN n.sign || n.digits || repeat('0', n.places)
     WHEN n.places < 0 AND ltrim(right(n.digits, least(-n.places, len(n.digits))), '0') = ''
       THEN n.sign || left(n.digits, greatest(len(n.digits) + n.places, 0))
   END)[1]`,
  `whole_digits(x, printed) AS CASE
     WHEN regexp_full_match(x, '[+-]?[0-9]+') THEN x
     WHEN is_number(x) AND NOT (printed AND regexp_matches(x, '[.eE]')
       AND NOT abs(TRY_CAST(x AS DOUBLE)) < 9007199254740992)
       THEN list_transform([number_parts(x)], lambda p: moved_digits(p))[1]
   END`,
  `to_whole(x, printed) AS CASE
     WHEN CAST(TRY_CAST(x AS BIGINT) AS VARCHAR) = x THEN TRY_CAST(x AS BIGINT)
     ELSE TRY_CAST(whole_digits(x, printed) AS BIGINT)
   END`,
  'to_wide(x, printed) AS TRY_CAST(whole_digits(x, printed) AS DECIMAL(38,0))',
  // Only digits, which a JSON parser cannot have rounded.
  `only_whole(x) AS CASE WHEN CAST(TRY_CAST(x AS BIGINT) AS VARCHAR) = x THEN TRY_CAST(x AS BIGINT) END`,
  `only_wide(x) AS CASE WHEN regexp_full_match(x, '-?[0-9]+') THEN TRY_CAST(x AS DECIMAL(38,0)) END`,
  `significant(x) AS trim(regexp_replace(regexp_replace(x, '[eE].*$', ''), '[^0-9]', '', 'g'), '0')`,
  // Beyond 2^53 a number is kept if the double, printed with the same number of digits, equals it.
  `kept_by(x, d) AS significant(x) =
     significant(format('{:.' || (greatest(len(significant(x)), 1) - 1) || 'e}', d))`,
  // Excludes `1_0.5` and `+-1`, which DuckDB accepts as numbers.
  `is_plain(x) AS x >= '-' AND NOT contains(x, '_')`,
  `to_real(x, printed) AS CASE
     WHEN abs(TRY_CAST(x AS DOUBLE)) < 9007199254740992 AND is_plain(x) THEN TRY_CAST(x AS DOUBLE)
     WHEN is_number(x) THEN CASE
       WHEN abs(TRY_CAST(x AS DOUBLE)) < 9007199254740992 THEN TRY_CAST(x AS DOUBLE)
       WHEN NOT isfinite(TRY_CAST(x AS DOUBLE)) OR (printed AND regexp_matches(x, '[.eE]')) THEN NULL
       WHEN kept_by(x, TRY_CAST(x AS DOUBLE)) THEN TRY_CAST(x AS DOUBLE)
     END
   END`,
  `to_bool(x) AS CASE x
     WHEN 'true' THEN true WHEN 'false' THEN false WHEN 'True' THEN true WHEN 'False' THEN false
   END`,
  `is_day(x) AS x LIKE '____-__-__' AND x >= '0'`,
  `is_utc_time(x) AS x LIKE '____/__/__ __:__:__ UTC' AND x >= '0'`,
  // Excludes years of two digits, and `infinity` and `epoch`, which DuckDB reads as 1900-01-01.
  "has_full_year(x) AS regexp_matches(x, '^\\s*[0-9]{4}[/-]')",
  `to_date(x) AS CASE
     WHEN is_day(x) OR has_full_year(x) THEN CAST(try_strptime(x, '%Y-%m-%d') AS DATE)
   END`,
  `instant(t) AS make_timestamptz(epoch_us(t))`,
  `local_time(x) AS CASE WHEN has_full_year(x) THEN try_strptime(x, '%Y/%m/%d %H:%M:%S') END`,
  `offset_minutes(o) AS CASE
     WHEN regexp_full_match(o, '[+-]([0-9]|([01][0-9]|2[0-3])(:?[0-5][0-9])?)') THEN
       (CASE WHEN prefix(o, '-') THEN -1 ELSE 1 END) *
       (CAST(regexp_extract(o, '^.([0-9]{1,2})', 1) AS INTEGER) * 60
         + coalesce(TRY_CAST(regexp_extract(o, '^...:?([0-9]{2})$', 1) AS INTEGER), 0))
   END`,
  `zone_minutes(zone) AS coalesce(
     offset_minutes(regexp_replace(zone, '^(UTC|GMT|UT)', '')), ${abbreviationOffsetSql('zone')})`,
  // A local time that a place's clocks showed exactly once, not in an hour that they skip or repeat.
  `offset_at(zone, t) AS timezone(zone, t) - timezone('UTC', t)`,
  `candidate(zone, l, near) AS timezone('UTC', l - offset_at(zone, timezone('UTC', l) + near))`,
  `place_time(zone, l) AS list_transform([{
       a: candidate(zone, l, INTERVAL (-1) DAY), b: candidate(zone, l, INTERVAL 1 DAY)}], lambda c: CASE
     WHEN timezone(zone, c.a) = l AND (c.a = c.b OR timezone(zone, c.b) <> l) THEN c.a
     WHEN timezone(zone, c.b) = l AND timezone(zone, c.a) <> l THEN c.b
   END)[1]`,
  `zoned_time(x) AS list_transform([{
       text: x, zone: upper(regexp_extract(x, '^.*:[0-9]+\\s+(\\S+)\\s*$', 1)),
       shown: local_time(regexp_extract(x, '^(.*:[0-9]+)\\s+\\S+\\s*$', 1))}], lambda z: CASE
     WHEN z.shown IS NULL OR z.zone = '' THEN NULL
     WHEN zone_minutes(z.zone) IS NOT NULL
       THEN instant(z.shown - to_minutes(CAST(zone_minutes(z.zone) AS BIGINT)))
     WHEN ${isPlaceSql('z.zone')} AND try_strptime(z.text, '%Y/%m/%d %H:%M:%S %Z') IS NOT NULL
       THEN place_time(z.zone, z.shown)
   END)[1]`,
  // The general form resolves the zone, which is ten times slower than the usual form.
  `to_datetime(x) AS CASE
     WHEN is_utc_time(x) THEN instant(try_strptime(x, '%Y/%m/%d %H:%M:%S UTC'))
     WHEN x IS NOT NULL THEN zoned_time(x)
   END`,
  'to_text(x) AS x',
  // A field of arity many may contain a single value, an array or null (wire-facts.md).
  `json_elements(x) AS CASE
     WHEN prefix(x, '[') THEN from_json(x, '["VARCHAR"]')
     WHEN x IS NOT NULL THEN [x ->> '$']
   END`,
  `csv_elements(x) AS CASE
     WHEN x IS NULL THEN NULL
     WHEN prefix(x, '[') AND is_json(x) THEN from_json(x, '["VARCHAR"]')
     ELSE [x]
   END`,
  // Numbers keep their own spelling. A JSON parser would print them differently.
  `number_elements(x) AS CASE
     WHEN x IS NULL THEN NULL
     WHEN prefix(x, '[') AND is_json(x)
       AND regexp_full_match(x, '\\[([^\\[\\]{}"]|"([^"\\\\]|\\\\.)*")*\\]\\s*') THEN
       list_transform(regexp_extract_all(x, '"(?:[^"\\\\]|\\\\.)*"|[^\\[\\],\\s"]+'), lambda e: CASE
         WHEN e = 'null' THEN NULL WHEN prefix(e, '"') THEN json(e) ->> '$' ELSE e END)
     ELSE [x]
   END`,
  `json_list(x) AS CASE
     WHEN x IS NULL THEN NULL WHEN json_type(x) = 'ARRAY' THEN x ELSE json_array(x)
   END`,
  // DuckDB accepts the words NaN and Infinity, in any case, and a comma after the last element: outside of strings.
  `is_no_json(x) AS regexp_matches(x, '^(?:[^"]|"(?:[^"\\\\]|\\\\.)*")*?(?:(?i:nan|inf)|,\\s*[\\]}])')`,
  `is_json(x) AS json_valid(x) AND NOT is_no_json(x)`,
  'csv_json(x) AS CASE WHEN is_json(x) THEN json(x) ELSE to_json(x) END',
  `is_nan_word(x) AS ltrim(lower(x), '+-') IN ('nan', 'inf', 'infinity')`,
];

async function defineMacros(connection: Connection): Promise<void> {
  await connection.run(MACROS.map((macro) => `CREATE OR REPLACE TEMP MACRO ${macro}`).join(';\n'));
}

/** Returns SQL of the offset in minutes of an uppercase abbreviation; NULL if it has none. */
function abbreviationOffsetSql(name: string): string {
  const cases = Object.entries(ABBREVIATIONS).map(([zone, minutes]) => `WHEN '${zone}' THEN ${minutes}`);
  return `CASE ${name} ${cases.join(' ')} END`;
}

/** Returns SQL that is true for an uppercase name of an existing place. ICU also knows zones that are not places. */
function isPlaceSql(name: string): string {
  const places = PLACES.map((place) => `'${place}'`).join(', ');
  return `(${name} IN (${places}) OR (contains(${name}, '/') AND NOT prefix(${name}, 'SYSTEMV/') AND ${name} <> 'ETC/UNKNOWN'))`;
}

/**
 * Returns connections for concurrent conversions. A run has one pool for all its units, because defining the macros
 * takes longer than converting a small part.
 *
 * @param connect opens a connection of the database to work in
 */
export function stagingConnections(connect: () => Promise<Connection>): ConnectionPool {
  return new ConnectionPool(async () => {
    const connection = await connect();
    await defineMacros(connection);
    return connection;
  });
}
