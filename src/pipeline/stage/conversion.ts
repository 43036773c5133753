import { type Field, type TypeFamily, typeFamily } from '../../project/model/field.ts';

/** How one field of a raw part is read and converted. */
export interface Conversion {
  readonly field: Field;
  /** Column of the raw reader that holds the value. */
  readonly source: string;
  readonly format: 'csv' | 'json' | 'parquet';
  readonly widened: boolean;
  /**
   * The origin of a number's text. It is the text that was sent, or a JSON parser printed it, which rounds numbers with
   * a point or an exponent to doubles. With `digits`, whole numbers in any other spelling count as broken.
   */
  readonly numbers: 'sent' | 'printed' | 'digits';
  /** DuckDB type of a Parquet column; undefined where the file lacks it. */
  readonly type?: string | undefined;
}

/** SQL that converts the text `source` into a type; NULL where the text is no value of it. */
export function convertText(family: TypeFamily, source: string, conversion: Conversion): string {
  const { widened, numbers, format } = conversion;
  if (family === 'real') return `to_real(${source}, ${numbers !== 'sent'})`;
  if (family !== 'whole') return `to_${family}(${source})`;
  if (numbers === 'digits') return `${widened ? 'only_wide' : 'only_whole'}(${source})`;
  // A number such as `9007199254740993.0` was a double where it was written, in JSON and in CSV.
  return `${widened ? 'to_wide' : 'to_whole'}(${source}, ${format !== 'parquet'})`;
}

/** Is the field a number, whose spelling a JSON parser may change? */
export function isNumber(field: Field): boolean {
  const family = typeFamily(field.type);
  return family === 'whole' || family === 'real';
}
