import rison from 'rison';

/**
 * Encodes a value for a query string. Not `rison.encode_uri`, which escapes only the first space
 * (docs/decisions/libraries.md).
 */
export function encodeRison(value: unknown): string {
  return encodeURIComponent(rison.encode(encodable(value)));
}

/** The library omits types that it does not know, such as `bigint`. It calls `encode_rison` if a value has it. */
function encodable(value: unknown): unknown {
  if (typeof value === 'bigint')
    return { __prototype__: { encode_rison: true }, encode_rison: () => String(value) };
  if (Array.isArray(value)) return value.map(encodable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, encodable(item)]));
}

/**
 * Decodes a query string's value, already percent-decoded.
 *
 * @throws Error when the text is not rison, also where the library would take it for a number that is none
 */
export function decodeRison(text: string): unknown {
  let problem: string | undefined;
  const parser = new rison.parser();
  // The library's own handler prints to stdout.
  parser.error = (message) => {
    throw new Error(message);
  };
  try {
    const value = parser.parse(text);
    if (value !== undefined && !holdsNaN(value)) return value;
    problem = 'not a value';
  } catch (error) {
    // The library itself fails on a text that breaks off, by its stack or on a null.
    const fails = error instanceof RangeError || error instanceof TypeError;
    problem = fails ? 'it breaks off, or is nested too deeply' : (error as Error).message;
  }
  throw new Error(`not rison (${problem}): ${text}`);
}

function holdsNaN(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(holdsNaN);
  return Number.isNaN(value);
}
