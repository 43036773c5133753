import { CrawlhouseError } from '../../core/errors/errors.ts';
import { lookUp } from '../../core/text/look-up.ts';

const TYPES: Readonly<Record<string, string>> = {
  VARCHAR: 'varchar',
  TEXT: 'varchar',
  // As text: Iceberg has no JSON, and Trino can't read what Parquet says is JSON.
  JSON: 'varchar',
  BIGINT: 'bigint',
  INTEGER: 'integer',
  // The sum of whole numbers.
  HUGEINT: 'decimal(38,0)',
  DOUBLE: 'double',
  BOOLEAN: 'boolean',
  DATE: 'date',
  'TIMESTAMP WITH TIME ZONE': 'timestamp(6) with time zone',
  TIMESTAMPTZ: 'timestamp(6) with time zone',
};

/**
 * The type of Trino that a column has which is of this type in DuckDB.
 *
 * @throws CrawlhouseError `contract_drift` where there is none
 */
export function trinoType(type: string): string {
  if (type.endsWith('[]')) return `array(${trinoType(type.slice(0, -2))})`;
  const own = lookUp(TYPES, type.toUpperCase()) ?? /^decimal\(\d+, ?\d+\)$/.exec(type.toLowerCase())?.[0];
  if (own !== undefined) return own;
  throw new CrawlhouseError('contract_drift', `Trino has no column for the type ${type}`);
}
