/** Bytes of an object, both ends included. */
export interface ServedRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The part of `size` bytes that a Range header asks for: `undefined` for all (no header, or one that a server may
 * ignore: RFC 9110 §14.2), `unsatisfiable` if it is beyond the end.
 */
export function byteRange(
  header: string | undefined,
  size: number,
): ServedRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '')
    return Number(to) === 0 ? 'unsatisfiable' : rangeOf(Math.max(0, size - Number(to)), size - 1);
  if (to !== '' && Number(to) < Number(from)) return undefined;
  return rangeOf(Number(from), Math.min(size - 1, to === '' ? size - 1 : Number(to)));
}

function rangeOf(first: number, last: number): ServedRange | 'unsatisfiable' {
  return first > last ? 'unsatisfiable' : { first, last };
}
