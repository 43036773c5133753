import fc from 'fast-check';
import { decodeRison, encodeRison } from '../../../src/client/http/rison.ts';
import { parseJson } from '../../../src/core/text/json.ts';
import { Fault, plainTarget, same, type Verdict } from '../target.ts';
import { oqlTree } from './oql-tree.ts';

/** Tokens of rison (https://github.com/Nanonid/rison), and what each is in JSON. */
const TOKEN =
  /(?<list>!\()|(?<word>![tfn])|(?<number>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE]-?\d+)?)|'(?<text>(?:[^'!]|!['!])*)'|(?<id>[^\d\- '!:(),*@$][^ '!:(),*@$]*)|(?<sign>[():,])/y;
const WORDS: Readonly<Record<string, string>> = { '!t': 'true', '!f': 'false', '!n': 'null' };
/** Deeper values are refused. */
const DEEP = 200;

/** A slow reader: rison as JSON, which JSON.parse judges. Undefined for a text that is none. */
function plainRison(text: string): { readonly value: unknown; readonly depth: number } | undefined {
  const open: string[] = [];
  let json = '';
  let depth = 0;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) return undefined;
    const { list, word, number, text: quoted, id, sign } = groups;
    if (list !== undefined || sign === '(') {
      open.push(list === undefined ? '}' : ']');
      json += list === undefined ? '{' : '[';
    } else if (sign === ')') json += open.pop() ?? '!';
    else if (quoted !== undefined) json += JSON.stringify(quoted.replaceAll(/!(['!])/g, '$1'));
    else if (id !== undefined) json += JSON.stringify(id);
    else json += word === undefined ? (number ?? sign ?? '') : (WORDS[word] ?? '!');
    // Two values beside each other must not become one.
    json += ' ';
    depth = Math.max(depth, open.length);
  }
  try {
    const value = parseJson(json);
    return hasNumbers(value) ? { value, depth } : undefined;
  } catch {
    // It is no rison.
    return undefined;
  }
}

function hasNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(hasNumbers);
}

/** Numbers by their value alone: the library writes -0 as 0, and a double beyond 2^53 as its digits. */
function byValue(value: unknown): unknown {
  if (Object.is(value, -0)) return 0;
  const digits = typeof value === 'number' && !Number.isSafeInteger(value) ? String(value) : '';
  if (/^-?\d+$/.test(digits)) return BigInt(digits);
  if (Array.isArray(value)) return value.map(byValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, byValue(item)]));
}

function check(input: Buffer): Verdict {
  const text = input.toString();
  const right = plainRison(text);
  let found: unknown;
  try {
    found = decodeRison(text);
  } catch (error) {
    if (!(error instanceof Error) || !/^not rison \(.+ .+\)/s.test(error.message)) throw error;
    if (right !== undefined && right.depth < DEEP) throw new Fault('rison is refused', error.message);
    return 'refused';
  }
  if (right === undefined) throw new Fault('what is no rison is taken', found);
  same(found, right.value, 'decodeRison');
  const again = decodeRison(decodeURIComponent(encodeRison(found)));
  same(byValue(again), byValue(found), 'rison there and back');
  return 'taken';
}

const written = oqlTree.map((tree) => decodeURIComponent(encodeRison(tree)));

/** Filters of lists in a query string. */
export const rison = plainTarget(
  {
    name: 'rison',
    seeds: [
      "(and:!((field:!(url,contains,'/a b',(ci:!t))),(field:!(depth,between,!(1,3)))))",
      "!(!n,!t,!f,-1.5e-3,'it!'s',(a:(b:!())))",
    ],
    words: ['!(', '!t', '!f', '!n', "!'", '!!', '*', '@', '$', 'field', 'and', 'or', 'ci', 'regex', ':', ','],
    grammar: fc.oneof(
      written,
      fc.string({ unit: fc.constantFrom(..."()!,:'a1-.e*@$ tfnö".split('')), maxLength: 12 }),
    ),
    shortRound: 3000,
  },
  check,
);
