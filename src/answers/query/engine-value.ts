import { parseJson } from '../../core/text/json.ts';
import type { EngineValue } from '../../engines/engine.ts';
import { isoTime, rawJson } from './value-json.ts';

/** The function that makes of an engine's values what `valueToJson` makes of DuckDB's, for a type in DuckDB's words. */
export function fromEngine(type: string): (value: EngineValue) => unknown {
  const present = ofType(type);
  return (value) => (value === null ? null : present(value));
}

function ofType(type: string): (value: Exclude<EngineValue, null>) => unknown {
  if (type.endsWith('[]')) {
    const item = fromEngine(type.slice(0, -2));
    return (value) => (value as readonly EngineValue[]).map(item);
  }
  if (type === 'JSON') return (value) => parseJson(String(value));
  if (type === 'DOUBLE' || type === 'FLOAT')
    return (value) => (Number.isFinite(Number(value)) ? Number(value) : null);
  if (type.startsWith('DECIMAL')) return (value) => rawJson(String(value));
  if (type.startsWith('TIMESTAMP')) return (value) => isoTime(microsOf(String(value)));
  return (value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value);
}

/** Microseconds since 1970 of a time in UTC, with up to six decimals. */
function microsOf(text: string): bigint {
  const [, whole = text, fraction = ''] = /^(.*?)(?:\.(\d+))?Z?$/.exec(text) ?? [];
  return BigInt(Date.parse(`${whole}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0').slice(0, 6));
}
