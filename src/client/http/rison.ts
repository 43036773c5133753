import rison from 'rison';
import { lookUp } from '../../core/text/look-up.ts';

/**
 * Encodes a value for a query string. It does not use `rison.encode_uri`, which escapes only the first space
 * (docs/decisions/libraries.md).
 */
export function encodeRison(value: unknown): string {
  return encodeURIComponent(rison.encode(encodable(value)));
}

/**
 * Makes a value encodable. The library omits types that it does not know, such as `bigint`, but calls `encode_rison` if
 * a value has this method.
 */
function encodable(value: unknown): unknown {
  if (typeof value === 'bigint')
    return { __prototype__: { encode_rison: true }, encode_rison: () => String(value) };
  if (Array.isArray(value)) return value.map(encodable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, encodable(item)]));
}

/**
 * Decodes a percent-decoded value of a query string. It does not use the library, which reads `!(*,a)` as `!(a,a)`,
 * rounds integers beyond 2^53 and drops the key `__proto__` (docs/decisions/libraries.md). Such integers are `bigint`.
 *
 * @throws Error when the text is not rison
 */
export function decodeRison(text: string): unknown {
  const reader = new RisonReader(text);
  try {
    return reader.whole();
  } catch (error) {
    throw new Error(`not rison (${(error as Error).message}): ${text}`);
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e-?\d+)?/iy;
/** A text without quotes, which begins with neither a digit nor a minus. */
const WORD = /[^\d\- '!:(),*@$][^ '!:(),*@$]*/y;
const QUOTED = /'(?:[^'!]|!['!])*'/y;
const LITERALS: Readonly<Record<string, unknown>> = { t: true, f: false, n: null };
const DEEPEST = 500;

class RisonReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads the value of the whole text; throws a readable problem. */
  whole(): unknown {
    const value = this.#value();
    if (this.#at < this.#text.length) throw this.#unexpected();
    return value;
  }

  #value(): unknown {
    const sign = this.#text[this.#at];
    if (sign === '(') return this.#nested(() => this.#object());
    if (sign === '!') return this.#literal();
    if (sign === "'") return this.#string();
    const number = this.#match(NUMBER);
    return number === undefined ? this.#string() : numberOf(number);
  }

  #literal(): unknown {
    const sign = this.#text[this.#at + 1] ?? '';
    if (sign === '(') return this.#nested(() => this.#list());
    if (!Object.hasOwn(LITERALS, sign)) throw this.#unexpected();
    this.#at += 2;
    return lookUp(LITERALS, sign);
  }

  #string(): string {
    const word = this.#match(WORD);
    if (word !== undefined) return word;
    const quoted = this.#match(QUOTED);
    if (quoted === undefined) throw this.#unexpected();
    return quoted.slice(1, -1).replaceAll(/!(['!])/g, '$1');
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw new Error(`more than ${DEEPEST} levels`);
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #list(): unknown[] {
    this.#at += 2;
    const items: unknown[] = [];
    for (let isFirst = true; !this.#ends(isFirst); isFirst = false) items.push(this.#value());
    return items;
  }

  #object(): Record<string, unknown> {
    this.#at += 1;
    const entries: [string, unknown][] = [];
    for (let isFirst = true; !this.#ends(isFirst); isFirst = false) {
      const key = this.#string();
      if (!this.#takes(':')) throw this.#unexpected();
      entries.push([key, this.#value()]);
    }
    // Assigning `__proto__` would set no key.
    return Object.fromEntries(entries);
  }

  /** Returns whether a list or an object ends here; otherwise skips a comma, except before the first value. */
  #ends(isFirst: boolean): boolean {
    if (this.#takes(')')) return true;
    if (!isFirst && !this.#takes(',')) throw this.#unexpected();
    return false;
  }

  #takes(sign: string): boolean {
    const isHere = this.#text[this.#at] === sign;
    if (isHere) this.#at += 1;
    return isHere;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #unexpected(): Error {
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) return new Error('it breaks off');
    return new Error(
      `${JSON.stringify(String.fromCodePoint(code))} is not expected at character ${this.#at + 1}`,
    );
  }
}

function numberOf(text: string): number | bigint {
  const number = Number(text);
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(number) ? number : BigInt(text);
  if (!Number.isFinite(number)) throw new Error(`${text} is too large for a number`);
  return number;
}
