import fc from 'fast-check';
import { text } from '../../src/core/duckdb/duckdb.ts';
import type { Cell, ValueField } from './cell.ts';
import { exactDouble, type Rational } from './exact-number.ts';
import {
  ANY,
  canonicalJson,
  type Family,
  FIELD_TYPES,
  listVerdict,
  numberVerdict,
  textVerdict,
  type Verdict,
} from './value-oracle.ts';
import { valueText } from './value-texts.ts';

/** A value in a Parquet column: its SQL, and what it is. */
interface Stored {
  readonly sql: string;
  readonly is:
    | { readonly number: Rational; readonly double: number | null; readonly decimal?: string }
    | { readonly text: string }
    | { readonly bool: boolean }
    | { readonly day: bigint }
    | { readonly nanoseconds: bigint }
    /** NaN, an infinite number or time, bytes that are not UTF-8. */
    | { readonly none: string }
    /** A value that only a text can hold. */
    | { readonly other: string };
}

/** A kind of Parquet column: its DuckDB type, and the values to try. `any`: whatever family the field has. */
interface ColumnKind {
  readonly type: string;
  readonly values: (family: Family) => fc.Arbitrary<Stored>;
}

const MICRO_MIN = -30_000_000_000_000_000n;
const MICRO_MAX = 250_000_000_000_000_000n;

function wholes(type: string, bits: bigint, signed: boolean): ColumnKind {
  const [min, max] = signed ? [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] : [0n, 2n ** bits - 1n];
  const value = fc.oneof(fc.bigInt({ min, max }), fc.constantFrom(min, max, 0n, 1n));
  return {
    type,
    values: () =>
      value.map((n) => ({
        sql: `'${n}'::${type}`,
        is: { number: [n, 1n], double: null, decimal: String(n) },
      })),
  };
}

function doubles(type: 'DOUBLE' | 'FLOAT'): ColumnKind {
  const value = fc.oneof(
    type === 'DOUBLE' ? fc.double() : fc.float(),
    fc.integer({ min: -1000, max: 1000 }),
    fc.constantFrom(
      0.1,
      3.5,
      2 ** 53,
      2 ** 53 - 1,
      2 ** 24 + 2,
      1e15,
      1e22,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      -0,
    ),
  );
  return {
    type,
    values: () =>
      value.map((any) => {
        const n = type === 'FLOAT' ? Math.fround(any) : any;
        const sql = `'${Number.isFinite(n) ? n : String(n).toLowerCase()}'::${type}`;
        if (!Number.isFinite(n)) return { sql, is: { none: String(n) } };
        return { sql, is: { number: exactDouble(n), double: n } };
      }),
  };
}

function decimals(precision: number, scale: number): ColumnKind {
  const max = 10n ** BigInt(precision) - 1n;
  const round = fc.bigInt({ min: -999n, max: 999n }).map((n) => n * 10n ** BigInt(scale));
  const value = fc.oneof(
    fc.bigInt({ min: -max, max }),
    round.filter((n) => n <= max && n >= -max),
  );
  const type = `DECIMAL(${precision},${scale})`;
  return {
    type,
    values: () =>
      value.map((n) => {
        const digits = String(n < 0n ? -n : n).padStart(scale + 1, '0');
        const written = `${n < 0n ? '-' : ''}${digits.slice(0, digits.length - scale)}${scale > 0 ? '.' : ''}${digits.slice(digits.length - scale)}`;
        return {
          sql: `'${written}'::${type}`,
          is: { number: [n, 10n ** BigInt(scale)], double: null, decimal: written },
        };
      }),
  };
}

const days: ColumnKind = {
  type: 'DATE',
  values: () =>
    fc.oneof(
      fc
        .integer({ min: -700_000, max: 2_900_000 })
        .map((day) => ({ sql: `(DATE '1970-01-01' + ${day})`, is: { day: BigInt(day) } })),
      fc
        .constantFrom('infinity', '-infinity')
        .map((word) => ({ sql: `'${word}'::DATE`, is: { none: word } })),
    ),
};

/** @param unit nanoseconds of the type's unit */
function times(type: string, unit: bigint, make: (count: bigint) => string): ColumnKind {
  const count = fc.bigInt({ min: (MICRO_MIN * 1000n) / unit, max: (MICRO_MAX * 1000n) / unit });
  const near = unit === 1n ? fc.bigInt({ min: -(10n ** 18n), max: 9n * 10n ** 18n }) : count;
  const whole = near.map((n) => (unit === 1n ? (n / 1000n) * 1000n : n));
  return {
    type,
    values: () =>
      fc.oneof(
        {
          weight: 3,
          arbitrary: fc.oneof(near, whole).map((n) => ({ sql: make(n), is: { nanoseconds: n * unit } })),
        },
        {
          weight: 1,
          arbitrary: fc
            .constantFrom('infinity', '-infinity')
            .map((word) => ({ sql: `'${word}'::${type}`, is: { none: word } })),
        },
      ),
  };
}

const texts: ColumnKind = {
  type: 'VARCHAR',
  values: (family) => valueText(family).map((value) => ({ sql: text(value), is: { text: value } })),
};

const bytes: ColumnKind = {
  type: 'BLOB',
  values: (family) =>
    fc.oneof(
      {
        weight: 3,
        arbitrary: valueText(family).map((value) => ({
          sql: `from_hex('${Buffer.from(value).toString('hex')}')`,
          is: { text: value },
        })),
      },
      {
        weight: 1,
        arbitrary: fc
          .constantFrom('ff', 'fffe', '61ff', 'c3', 'eda080', 'f8888080', 'c0af')
          .map((hex) => ({ sql: `from_hex('${hex}')`, is: { none: hex } })),
      },
    ),
};

function others(type: string, ...values: readonly string[]): ColumnKind {
  return {
    type,
    values: () =>
      fc.constantFrom(...values).map((value) => ({ sql: `'${value}'::${type}`, is: { other: value } })),
  };
}

/** Every physical and logical type of Parquet that DuckDB writes and that can be one column. */
const KINDS: readonly ColumnKind[] = [
  ...[8n, 16n, 32n, 64n].flatMap((bits) => {
    const name = { 8: 'TINYINT', 16: 'SMALLINT', 32: 'INTEGER', 64: 'BIGINT' }[Number(bits)] ?? '';
    return [wholes(name, bits, true), wholes(`U${name}`, bits, false)];
  }),
  doubles('DOUBLE'),
  doubles('FLOAT'),
  decimals(4, 2),
  decimals(9, 0),
  decimals(18, 4),
  decimals(38, 0),
  decimals(38, 10),
  { type: 'BOOLEAN', values: () => fc.boolean().map((bool) => ({ sql: String(bool), is: { bool } })) },
  days,
  times('TIMESTAMP', 1000n, (n) => `make_timestamp(${n}::BIGINT)`),
  times('TIMESTAMP_MS', 1_000_000n, (n) => `make_timestamp_ms(${n}::BIGINT)`),
  times('TIMESTAMP_NS', 1n, (n) => `make_timestamp_ns(${n}::BIGINT)`),
  times('TIMESTAMP WITH TIME ZONE', 1000n, (n) => `make_timestamptz(${n}::BIGINT)`),
  texts,
  bytes,
  others('TIME', '10:00:00', '23:59:59.5'),
  others('UUID', '11fb48ce-85b0-457d-b8e4-66720b7459d0'),
  others('INTERVAL', '1 day'),
  others("ENUM('a','b')", 'a', 'b'),
];

/** A column for each kind and family, as a value and as a list. */
export const PARQUET_FIELDS: readonly ParquetField[] = (['one', 'many'] as const).flatMap((arity) =>
  KINDS.flatMap((kind) =>
    (Object.keys(FIELD_TYPES) as Family[])
      .filter((family) => arity === 'one' || family !== 'json')
      .map((family) => {
        const column = arity === 'one' ? kind.type : `${kind.type}[]`;
        return { name: `${column} as ${family}`, type: FIELD_TYPES[family], arity, family, column, kind };
      }),
  ),
);

export interface ParquetField extends ValueField {
  readonly column: string;
  readonly kind: ColumnKind;
}

/** Rows with a value for each of the fields. */
export function parquetCells(fields: readonly ParquetField[], rows: number): fc.Arbitrary<Cell[][]> {
  const row = fc.tuple(...fields.map(cellOf));
  return fc.array(row, { minLength: rows, maxLength: rows, size: 'max' });
}

function cellOf({ kind, family, arity }: ParquetField): fc.Arbitrary<Cell> {
  const value = kind.values(family);
  if (arity === 'one')
    return value.map((stored) => ({ written: stored.sql, verdict: storedVerdict(family, stored) }));
  return fc
    .array(fc.option(value, { freq: 5 }), { maxLength: 3 })
    .map((all) => ({
      written: `[${all.map((stored) => stored?.sql ?? 'NULL').join(', ')}]`,
      verdict: listVerdict(all.map((stored) => (stored ? storedVerdict(family, stored) : { load: null }))),
    }));
}

function storedVerdict(family: Family, { is }: Stored): Verdict {
  if ('none' in is) return 'reject';
  if ('text' in is) return textVerdict(family, is.text, false);
  if ('number' in is) return storedNumber(family, is);
  if (family === 'text') return { load: ANY };
  if ('bool' in is) return family === 'bool' || family === 'json' ? { load: String(is.bool) } : 'reject';
  if (family === 'json') return { load: ANY };
  if ('day' in is && family === 'date') return { load: String(is.day) };
  if ('nanoseconds' in is && family === 'datetime')
    return is.nanoseconds % 1000n === 0n ? { load: String(is.nanoseconds / 1000n) } : 'reject';
  return 'reject';
}

function storedNumber(
  family: Family,
  { number, double, decimal }: { number: Rational; double: number | null; decimal?: string },
): Verdict {
  if (family === 'real' && double !== null) return { load: String(double) };
  const digits = decimal?.replace(/[^0-9]/g, '').replace(/^0+|0+$/g, '') ?? null;
  if (family === 'whole' || family === 'real') return numberVerdict(family, number, double !== null, digits);
  // With an exponent, so that it is compared as a double.
  const json = decimal ?? (String(double).includes('e') ? String(double) : `${double}e0`);
  if (family === 'json') return { load: canonicalJson(json) };
  return family === 'text' ? { load: ANY } : 'reject';
}
