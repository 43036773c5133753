import type { Change } from './change.ts';
import { keyChanges } from './key-changes.ts';
import { endOf, isToken, type Level, levelsOf, startOf, type Token, tokensOf } from './tokens.ts';

/** Every mutant of some SQL: it differs by one change. Comments, names and parameters stay. */
export function changesOf(sql: string): Change[] {
  const tokens = tokensOf(sql);
  const changes = [...tokens.flatMap((_, index) => changesAt(tokens, index)), ...changesIn(levelsOf(tokens))];
  return changes.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Signs and words that are swapped wherever they stand. */
const SWAPS: Readonly<Record<string, string>> = {
  '=': '<>',
  '<>': '=',
  '!=': '=',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  DESC: 'ASC',
  ASC: 'DESC',
  TRUE: 'false',
  FALSE: 'true',
};
/** Functions that are swapped where they are called. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  MIN: 'max',
  MAX: 'min',
  ARG_MIN: 'arg_max',
  ARG_MAX: 'arg_min',
  MIN_BY: 'max_by',
  MAX_BY: 'min_by',
  LEAST: 'greatest',
  GREATEST: 'least',
  BOOL_AND: 'bool_or',
  BOOL_OR: 'bool_and',
};
/** Words in a row, what to put in their place, and how many of them to replace. */
const PHRASES: readonly (readonly [words: string, instead: string])[] = [
  ['IS NOT DISTINCT FROM', '='],
  ['IS DISTINCT FROM', '<>'],
  ['IS NOT NULL', 'IS NULL'],
  ['IS NULL', 'IS NOT NULL'],
  ['LEFT JOIN', 'JOIN'],
  ['UNION ALL', 'UNION'],
  ['NULLS LAST', 'NULLS FIRST'],
  ['NULLS FIRST', 'NULLS LAST'],
  ['NOT EXISTS', 'EXISTS'],
  ['EXISTS', 'NOT EXISTS'],
  ['NOT', ''],
  ['DISTINCT', ''],
];

/** The changes that look only at the tokens from here on. */
function changesAt(tokens: readonly Token[], index: number): Change[] {
  const token = tokens[index] as Token;
  const { kind, value, start, end } = token;
  const [before, next] = [tokens[index - 1], tokens[index + 1]];
  if (kind === 'text') return [{ start: start + 1, end: end - 1, instead: otherText(value.slice(1, -1)) }];
  if (kind === 'number')
    return isCounted(tokens, index) ? [] : numberChanges(token, tokens.slice(Math.max(0, index - 4), index));
  const phrase = phraseAt(tokens, index);
  if (phrase) return [phrase];
  if ((value === '+' || value === '-') && isOperand(before)) {
    return [{ start, end, instead: value === '+' ? '-' : '+' }];
  }
  const instead = SWAPS[value] ?? (next?.value === '(' ? FUNCTIONS[value] : undefined);
  return instead === undefined ? [] : [{ start, end, instead }];
}

function phraseAt(tokens: readonly Token[], index: number): Change | undefined {
  const before = tokens[index - 1]?.value ?? '';
  // Within IS NOT NULL, IS DISTINCT FROM and NOT EXISTS, whose first word has been there.
  if (['IS', 'IS NOT', 'NOT'].includes(before)) return undefined;
  for (const [words, instead] of PHRASES) {
    const wanted = words.split(' ');
    const found = tokens.slice(index, index + wanted.length);
    if (found.map(({ value }) => value).join(' ') !== words) continue;
    return { start: startOf(found), end: endOf(found), instead };
  }
  return undefined;
}

/** A number at its start counts on, so that a day or an interval stays one. */
function otherText(value: string): string {
  const [digits] = /^\d+/.exec(value) ?? [];
  return digits === undefined ? `${value}!` : String(Number(digits) + 1) + value.slice(digits.length);
}

/** An integer, one more and one less, but neither that of EXISTS (SELECT 1 …) nor the precision of a type. */
function numberChanges({ value, start, end }: Token, before: readonly Token[]): Change[] {
  if (!/^\d+$/.test(value)) return [];
  const words = before.map(({ value }) => value);
  if (words.slice(-3).join(' ') === 'EXISTS ( SELECT' || words.includes('DECIMAL')) return [];
  return [1n, -1n].map((by) => ({ start, end, instead: String(BigInt(value) + by) }));
}

/** Whether a constant is the 1 of `count(DISTINCT CASE WHEN … THEN 1 END)`, for which any other one would do. */
function isCounted(tokens: readonly Token[], index: number): boolean {
  if (tokens[index + 1]?.value !== 'END') return false;
  let [depth, start] = [1, index];
  while (depth > 0 && start > 0) {
    start--;
    const { value = '' } = tokens[start] ?? {};
    depth += value === 'END' ? 1 : value === 'CASE' ? -1 : 0;
  }
  const before = tokens.slice(0, start).map(({ value }) => value);
  if (before.at(-1) === 'DISTINCT') before.pop();
  return before.slice(-2).join(' ') === 'COUNT (';
}

const isOperand = (token: Token | undefined): boolean =>
  token !== undefined &&
  (token.kind !== 'sign' || /^([)\]}]|"|\$)/.test(token.value)) &&
  !isClause(token.value);

/** Words and signs between which an expression stands. */
const CLAUSES = [
  'SELECT',
  'FROM',
  'WHERE',
  'GROUP',
  'HAVING',
  'QUALIFY',
  'WINDOW',
  'ORDER',
  'BY',
  'LIMIT',
  'UNION',
  'EXCEPT',

  'INTERSECT',
  'WITH',
  'JOIN',
  'LEFT',
  'RIGHT',
  'FULL',
  'INNER',
  'CROSS',
  'ON',
  'USING',
  'CASE',
  'WHEN',
  'THEN',

  'ELSE',
  'END',
  'AS',
  'DESC',
  'ASC',
  'NULLS',
  'PARTITION',
  'ROWS',
  'RANGE',
  ',',
  ':',
  '(',
  ')',
  '[',
  ']',
];
const isClause = (value: string): boolean => CLAUSES.includes(value);
/** Those whose expression is a condition. */
const FILTERS = ['WHERE', 'HAVING', 'QUALIFY'];
const CONDITIONS = [...FILTERS, 'ON', 'WHEN'];

/** The changes that need to know where an expression ends: conditions, keys, coalesce, count. */
function changesIn(level: Level): Change[] {
  const changes: Change[] = keyChanges(level);
  let clause = '';
  let expression: (Token | Level)[] = [];
  const finish = (): void => {
    changes.push(...conditionChanges(clause, expression));
    expression = [];
  };
  for (const [index, item] of level.entries()) {
    const follower = level[index + 1];
    // left(x, 1) is a function.
    const isCall = isToken(item) && item.value === 'LEFT' && !isToken(follower);
    if (isToken(item) && isClause(item.value) && !isCall) {
      finish();
      clause = item.value;
    } else expression.push(item);
    if (isToken(item)) {
      if (follower && !isToken(follower)) changes.push(...callChanges(item, follower));
    } else changes.push(...changesIn(item));
  }
  finish();
  return changes;
}

/** AND for OR and the other way round; each operand left out; a condition alone, or a whole filter, becomes true. */
function conditionChanges(clause: string, expression: readonly (Token | Level)[]): Change[] {
  const [first, last] = [expression[0], expression.at(-1)];
  if (!first || !last) return [];
  const operators = operatorsOf(expression);
  const isDropped = (operators.length === 0 ? CONDITIONS : FILTERS).includes(clause);
  const whole = isDropped ? [{ start: startOf(first), end: endOf(last), instead: 'true' }] : [];
  if (operators.length === 0) return whole;
  const swaps = operators.map(({ value, start, end }) => ({
    start,
    end,
    instead: value === 'AND' ? 'OR' : 'AND',
  }));
  // An operand goes with the operator beside it that binds more tightly.
  const drops = [undefined, ...operators].map((before, index): Change => {
    const after = operators[index];
    const withBefore = before !== undefined && (after?.value !== 'AND' || before.value === 'AND');
    const start = withBefore ? before.start : before ? before.end + 1 : startOf(first);
    const end = withBefore ? (after ? after.start - 1 : endOf(last)) : (after?.end ?? 0) + 1;
    return { start, end, instead: '' };
  });
  return [...whole, ...swaps, ...drops];
}

/** The ANDs and ORs of an expression, less the AND of BETWEEN. */
function operatorsOf(expression: readonly (Token | Level)[]): Token[] {
  const operators: Token[] = [];
  let between = 0;
  for (const item of expression) {
    if (!isToken(item)) continue;
    if (item.value === 'BETWEEN') between++;
    else if (item.value === 'AND' && between > 0) between--;
    else if (item.value === 'AND' || item.value === 'OR') operators.push(item);
  }
  return operators;
}

/** coalesce(x, y) becomes x, and count(x) becomes count(*). */
function callChanges(name: Token, called: Level): Change[] {
  const [open, first, last, close] = [called[0], called[1], called.at(-2), called.at(-1)];
  if (!open || !first || !last || !close || startOf(open) !== name.end) return [];
  if (name.value === 'COUNT') {
    // Of these, count(DISTINCT x) becomes count(x), and count(CASE WHEN x …) becomes count(CASE WHEN true …).
    const isOther = isToken(first) ? ['DISTINCT', '*', ')'].includes(first.value) : startsWith(first, 'CASE');
    return isOther ? [] : [{ start: startOf(first), end: endOf(last), instead: '*' }];
  }
  const comma = name.value === 'COALESCE' && called.find((item) => isToken(item) && item.value === ',');
  return comma ? [{ start: startOf(comma), end: startOf(close), instead: '' }] : [];
}

const startsWith = (level: Level, value: string): boolean => isToken(level[0]) && level[0].value === value;
