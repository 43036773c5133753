/** A number or a word: the text between strings, the marks of arrays and objects, and the four spaces of JSON. */
const TOKEN = /[^ \t\n\r,:{}[\]]+/g;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null']);

/**
 * Returns JSON in which numbers with a decimal point or an exponent are strings, so that a parser keeps them unchanged.
 * Returns null if the text contains a word that is not JSON, such as NaN.
 */
export function quoteNumbers(json: string): string | null {
  let isJson = true;
  const quote = (token: string): string => {
    if (WORDS.has(token)) return token;
    if (!NUMBER.test(token)) isJson = false;
    return /[.eE]/.test(token) ? `"${token}"` : token;
  };
  const pieces: string[] = [];
  for (let at = 0; at < json.length; ) {
    const found = json.indexOf('"', at);
    const open = found === -1 ? json.length : found;
    pieces.push(json.slice(at, open).replace(TOKEN, quote));
    at = endOfString(json, open);
    pieces.push(json.slice(open, at));
  }
  return isJson ? pieces.join('') : null;
}

/**
 * Returns the index after the string that begins at `open`. Uses no regular expression, because V8's regular
 * expressions run out of stack in a text of several megabytes.
 */
function endOfString(json: string, open: number): number {
  for (let quote = json.indexOf('"', open + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (json[quote - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return quote + 1;
  }
  return json.length;
}

/**
 * A regular expression (RE2) over JSON Lines. It finds each number that is not whole, although its nearest double below
 * 2^53 is. Such a number with k digits before the point has at least 15 - k zeros or nines after it. It may also find
 * other numbers. In that case, the part is read record by record, which is slow but correct.
 */
export const ROUNDED_TO_WHOLE = `[:,\\[]\\s*-?(?:${[
  ...Array.from({ length: 14 }, (_none, index) => {
    const run = 14 - index;
    return `[0-9]{${index + 1}}\\.(?:0{${run}}|9{${run}})[0-9]*[1-9]`;
  }),
  '[0-9]{15,}\\.[0-9]*[1-9]',
  '[0-9.]{17,}[eE]',
  '[0-9.]+[eE]-[0-9]{3}',
].join('|')})`;
