import { text } from '../../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';

/** A value for a `?` of a statement. A `bigint` is a whole number; a `number` is a DOUBLE. */
export type SqlValue = null | boolean | number | bigint | string | Date | Uint8Array | readonly SqlValue[];

const LARGEST = 2n ** 63n;
/** Maximum digits of a DECIMAL. */
const MOST_DIGITS = 38;

/**
 * Writes a value as a Trino literal. Only this function writes literals, because Trino's protocol cannot bind values.
 *
 * @throws CrawlhouseError `contract_broken` for a value that no literal can represent
 */
export function literal(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint') return wholeLiteral(value);
  if (typeof value === 'number') return doubleLiteral(value);
  if (value instanceof Date)
    return `TIMESTAMP '${value.toISOString().replace('T', ' ').replace('Z', ' UTC')}'`;
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`;
  return `ARRAY[${value.map(literal).join(', ')}]`;
}

/** Writes a text literal. Refuses half of a surrogate pair, which UTF-8 cannot represent, so the value would change. */
function textLiteral(value: string): string {
  if (value.isWellFormed()) return text(value);
  throw new CrawlhouseError('contract_broken', `${JSON.stringify(value)} has half of a character`);
}

function wholeLiteral(value: bigint): string {
  if (value >= -LARGEST && value < LARGEST) return `BIGINT '${value}'`;
  const digits = String(value).replace('-', '');
  if (digits.length <= MOST_DIGITS) return `DECIMAL '${value}'`;
  throw new CrawlhouseError('contract_broken', `${value} has more than ${MOST_DIGITS} digits`);
}

function doubleLiteral(value: number): string {
  return `DOUBLE '${Object.is(value, -0) ? '-0.0' : value}'`;
}
