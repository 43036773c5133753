import {
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api';
import { parseJson } from '../../../../core/text/json.ts';

/**
 * Returns a value as plain JSON. Integers and decimals of any size keep all their digits. Timestamps are ISO 8601 in
 * UTC. JSON columns stay JSON. NaN and infinity are null.
 */
export function valueToJson(value: DuckDBValue, type: DuckDBType): unknown {
  if (value === null || value === undefined) return null;
  if (type.alias === 'JSON' && typeof value === 'string') return parseJson(value);
  return plain(value);
}

function plain(value: DuckDBValue): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (value instanceof DuckDBDecimalValue) return JSON.rawJSON(value.toString());
  if (value instanceof DuckDBTimestampTZValue) return isoTime(value.micros);
  if (value instanceof DuckDBTimestampValue) return isoTime(value.micros);
  if (value instanceof DuckDBDateValue) return value.toString();
  if (value instanceof DuckDBListValue) return value.items.map(plain);
  if (value instanceof DuckDBStructValue) {
    return Object.fromEntries(Object.entries(value.entries).map(([key, item]) => [key, plain(item)]));
  }
  if (value instanceof DuckDBMapValue) {
    return Object.fromEntries(value.entries.map(({ key, value: item }) => [String(plain(key)), plain(item)]));
  }
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('base64');
  return String(value);
}

/** Microseconds since 1970 as ISO 8601 in UTC, with as many decimals as needed. */
export function isoTime(micros: bigint): string {
  const milliseconds = micros / 1000n - (micros % 1000n < 0n ? 1n : 0n);
  const rest = Number(micros - milliseconds * 1000n);
  const date = new Date(Number(milliseconds));
  if (Number.isNaN(date.getTime())) return `${micros} microseconds since 1970`;
  const iso = date.toISOString();
  if (rest === 0) return iso.endsWith('.000Z') ? `${iso.slice(0, -5)}Z` : iso;
  return `${iso.slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
}
