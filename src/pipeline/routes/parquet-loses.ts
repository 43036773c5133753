import { type Field, typeFamily } from '../../project/model/field.ts';

/** Types whose values Parquet carries as JSON text or as structures. */
const NESTED: readonly string[] = ['object', 'nested'];

/**
 * Why rows of these fields don't come by a data export in Parquet unless it is asked for: what JSON keeps and Parquet
 * may not (docs/decisions/staging.md). Null if it keeps them all. Depends on the fields alone, never on their values.
 */
export function parquetLoses(fields: readonly Field[]): string | null {
  const seen = new Map<string, string>();
  for (const { name, type } of fields) {
    const other = seen.get(name.toLowerCase());
    if (other !== undefined)
      return `Parquet can't hold ${JSON.stringify(other)} and ${JSON.stringify(name)}, which differ by case only`;
    seen.set(name.toLowerCase(), name);
    if (typeFamily(type) === 'json' && !NESTED.includes(type))
      return `Parquet may lose the difference of a number and its text in ${JSON.stringify(name)}, of the unknown type ${JSON.stringify(type)}`;
  }
  return null;
}
