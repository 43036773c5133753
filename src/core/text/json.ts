/**
 * JSON without loss: whole numbers that a JavaScript number can't hold arrive as `bigint` and leave with all their
 * digits.
 */
export function parseJson(text: string): unknown {
  // Numbers of fewer digits are held, and to revive values takes seven times as long.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const revive = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    const source = context?.source;
    return source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
  };
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

/** Whether a value that was parsed has more levels of arrays and objects than these. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}

/** Parses JSON; undefined for a text that is none. */
export function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // The caller says what is wrong with it.
    return undefined;
  }
}

/**
 * As `parseJson`, but numbers keep their spelling. If JavaScript would write a number differently (`12.0`, `1e3`), it is kept
 * as raw JSON. `stringifyJson` writes it back unchanged.
 */
export function parseJsonAsWritten(text: string): unknown {
  const revive = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value !== 'number' || context?.source === undefined) return value;
    return String(value) === context.source ? value : rawJson(context.source);
  };
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

/** The reverse of `parseJson`; dates become ISO 8601 in UTC. */
export function stringifyJson(value: unknown, indent?: number): string {
  return JSON.stringify(
    value,
    (_key, item: unknown) => (typeof item === 'bigint' ? rawJson(item.toString()) : item),
    indent,
  );
}

/** `JSON.rawJSON` (ECMAScript 2026), which the type library doesn't know yet. */
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;
