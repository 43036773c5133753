import type { Change } from './change.ts';
import { endOf, isToken, type Level, startOf, type Token } from './tokens.ts';

type Key = readonly (Token | Level)[];

/** Words and signs that end the keys of ORDER BY, GROUP BY or PARTITION BY. */
const ENDS = [
  'ORDER',
  'GROUP',
  'PARTITION',
  'HAVING',
  'QUALIFY',
  'WINDOW',
  'LIMIT',
  'ROWS',
  'RANGE',
  'UNION',
  'EXCEPT',
  'INTERSECT',
  ')',
];

/** Each key of several left out; each key of an ORDER BY without a direction goes down instead of up. */
export function keyChanges(level: Level): Change[] {
  return level.flatMap((item, index) => {
    if (!isToken(item) || item.value !== 'BY') return [];
    const keys = keysOf(level.slice(index + 1));
    const isOrder = isWord(level[index - 1], 'ORDER');
    return [...dropsOf(keys), ...(isOrder ? keys.flatMap(descending) : [])];
  });
}

function keysOf(rest: Level): Key[] {
  const end = rest.findIndex((item) => ENDS.some((word) => isWord(item, word)));
  const keys: (Token | Level)[][] = [[]];
  for (const item of end < 0 ? rest : rest.slice(0, end)) {
    if (isWord(item, ',')) keys.push([]);
    else keys.at(-1)?.push(item);
  }
  return keys.filter((key) => key.length > 0);
}

/** A key goes with the comma after it, the last one with the comma before it. */
function dropsOf(keys: readonly Key[]): Change[] {
  return keys.flatMap((key, index) => {
    const [before, after] = [keys[index - 1], keys[index + 1]];
    if (after) return [{ start: startOf(key), end: startOf(after), instead: '' }];
    return before ? [{ start: endOf(before), end: endOf(key), instead: '' }] : [];
  });
}

function descending(key: Key): Change[] {
  if (key.some((item) => isWord(item, 'ASC') || isWord(item, 'DESC'))) return [];
  const nulls = key.findIndex((item) => isWord(item, 'NULLS'));
  const place = endOf(nulls < 0 ? key : key.slice(0, nulls));
  return [{ start: place, end: place, instead: ' DESC' }];
}

const isWord = (item: Token | Level | undefined, value: string): boolean =>
  isToken(item) && item.value === value;
