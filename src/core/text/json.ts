/**
 * Parses JSON without loss: integers that a JavaScript number cannot represent become `bigint`, and are written with
 * all their digits.
 */
export function parseJson(text: string): unknown {
  // Numbers with fewer digits fit, and reviving values takes seven times as long.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const revive = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    const source = context?.source;
    return source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
  };
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

/** Returns whether a parsed value has more levels of arrays and objects than this. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}

/** Parses JSON; undefined for invalid text. */
export function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // The caller reports the problem.
    return undefined;
  }
}

/**
 * Like `parseJson`, but numbers keep their spelling. If JavaScript would write a number differently (`12.0`, `1e3`), it
 * is kept as raw JSON, which `stringifyJson` writes back unchanged.
 */
export function parseJsonAsWritten(text: string): unknown {
  const revive = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value !== 'number' || context?.source === undefined) return value;
    return String(value) === context.source ? value : JSON.rawJSON(context.source);
  };
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

/** Returns the reverse of `parseJson`; dates become ISO 8601 in UTC. */
export function stringifyJson(value: unknown, indent?: number): string {
  return JSON.stringify(
    value,
    (_key, item: unknown) => (typeof item === 'bigint' ? JSON.rawJSON(item.toString()) : item),
    indent,
  );
}

declare global {
  /** ECMAScript 2026, which the type library doesn't know yet. */
  interface JSON {
    /** A number with the digits that it has in the text. */
    rawJSON(text: string): unknown;
    isRawJSON(value: unknown): boolean;
  }
}
