/** Unicode spaces that DuckDB treats as a space, as UTF-8 with one character per byte. */
const SPACES = /\xc2\xa0|\xe2\x80[\x80-\x8c\xaf]|\xe2\x81[\x9f\xa0]|\xe3\x80\x80|\xef\xbb\xbf/y;
const SOME = /[\u00a0\u2000-\u200c\u202f\u205f\u2060\u3000\ufeff]/;

/** The possible beginning of a dollar-quoted text; it is one if another dollar follows. */
const TAG = /\$(?:[A-Za-z_\x80-\xff][\w\x80-\xff]*\$?|\$)/y;

/**
 * Replaces Unicode spaces by plain ones, like DuckDB's parser does before it reads SQL and counts positions. DuckDB's
 * rules for this step are simpler than those of its lexer: here, a block comment hides no quote.
 */
export function plainSpaces(sql: string): string {
  if (!SOME.test(sql)) return sql;
  const bytes = Buffer.from(sql).toString('latin1');
  let result = '';
  let kept = 0;
  for (let at = 0; at + 2 < bytes.length; ) {
    const space = matchAt(SPACES, bytes, at);
    if (space !== '') {
      result += `${bytes.slice(kept, at)} `;
      at += space.length;
      kept = at;
    } else at = hiddenEnd(bytes, at);
  }
  return Buffer.from(result + bytes.slice(kept), 'latin1').toString();
}

/** Returns the end of the text, name or comment that begins there; else the next position. */
function hiddenEnd(bytes: string, at: number): number {
  const found = bytes[at];
  if (found === "'" || found === '"') return after(bytes, at + 1, found);
  if (found === '-' && bytes[at + 1] === '-') {
    const end = bytes.slice(at).search(/[\n\r]/);
    return end < 0 ? bytes.length : at + end;
  }
  const tag = found === '$' ? matchAt(TAG, bytes, at) : '';
  const next = at + Math.max(1, tag.length);
  // The dollar at the end of a tag may begin the next one.
  return tag.endsWith('$') ? after(bytes, next - 1, tag) - 1 : next;
}

function after(bytes: string, from: number, closing: string): number {
  const end = bytes.indexOf(closing, from);
  return end < 0 ? bytes.length : end + closing.length;
}

function matchAt(pattern: RegExp, bytes: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(bytes)?.[0] ?? '';
}
