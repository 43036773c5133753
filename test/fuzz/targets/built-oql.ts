import fc from 'fast-check';
import { checkedOql } from '../../../src/client/http/service-client.ts';
import { and, or, where } from '../../../src/client/oql/build-oql.ts';
import { Oql } from '../../../src/client/oql/oql.ts';
import { LIST_CRAWLS } from '../../../src/client/resources/crawls.ts';
import { jsonOf, parseJson, stringifyJson } from '../../../src/core/text/json.ts';
import { anyCharacter } from '../../support/characters.ts';
import { called, Fault, plainTarget, same, type Verdict } from '../target.ts';

/** The methods of the builder, with the filters of the contract. */
const FILTERS = {
  hasValue: 'has_value',
  hasNoValue: 'has_no_value',
  equals: 'equals',
  notEquals: 'not_equals',
  contains: 'contains',
  startsWith: 'startswith',
  endsWith: 'endswith',
  gt: 'gt',
  gte: 'gte',
  lt: 'lt',
  lte: 'lte',
  between: 'between',
} as const;
type Method = keyof typeof FILTERS;

const isNumber = (value: unknown): boolean =>
  typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value));
const isText = (value: unknown): boolean => typeof value === 'string';
const isOptions = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([key, one]) => ['ci', 'regex'].includes(key) && typeof one === 'boolean');

/** Whether a call compiles, and its numbers are finite. */
function isTyped(method: Method, args: readonly unknown[]): boolean {
  const [value, options] = args;
  const isPlain = args.length === 1;
  const withOptions = args.length === 2 && isText(value) && isOptions(options);
  switch (method) {
    case 'hasValue':
    case 'hasNoValue':
      return args.length === 0;
    case 'equals':
      return withOptions || (isPlain && (isText(value) || isNumber(value) || typeof value === 'boolean'));
    case 'notEquals':
      return isPlain && (isText(value) || isNumber(value) || typeof value === 'boolean');
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return withOptions || (isPlain && isText(value));
    case 'between':
      return (
        isPlain &&
        Array.isArray(value) &&
        value.length === 2 &&
        (value.every(isText) || value.every(isNumber))
      );
    default:
      return isPlain && (isText(value) || isNumber(value));
  }
}

interface Built {
  readonly tree: Oql;
  /** The same, written here by the table of the contract. */
  readonly plain: unknown;
  readonly isTyped: boolean;
  readonly levels: number;
  readonly nodes: number;
}

/** Does the calls that a list of calls stands for: `["depth", "gte", 4]`, `{"and": […]}`; undefined where it is none. */
function build(calls: unknown, level = 1): Built | undefined {
  if (level > 200) return undefined;
  if (Array.isArray(calls)) {
    const [name, method, ...args] = calls as unknown[];
    if (typeof name !== 'string' || typeof method !== 'string' || !Object.hasOwn(FILTERS, method))
      return undefined;
    const known = method as Method;
    const isRight = isTyped(known, args);
    const tree = (where(name)[known] as (...given: unknown[]) => Oql)(...args);
    // Nobody hears of more arguments than a method has.
    const value = known.startsWith('has') ? [''] : args.slice(0, 2);
    return {
      tree,
      plain: { field: [name, FILTERS[known], ...value] },
      isTyped: isRight,
      levels: level,
      nodes: 1,
    };
  }
  if (typeof calls !== 'object' || calls === null) return undefined;
  const [[word, nodes] = []] = Object.entries(calls);
  if ((word !== 'and' && word !== 'or') || !Array.isArray(nodes)) return undefined;
  const built = nodes.map((node) => build(node, level + 1));
  if (built.some((one) => one === undefined)) return undefined;
  const parts = built as Built[];
  return {
    tree: (word === 'and' ? and : or)(...parts.map(({ tree }) => tree)),
    plain: { [word]: parts.map(({ plain }) => plain) },
    isTyped: parts.every((one) => one.isTyped),
    levels: Math.max(level, ...parts.map(({ levels }) => levels)),
    nodes: parts.reduce((sum, one) => sum + one.nodes, 1),
  };
}

/** What a request takes at most. */
const [MOST_LEVELS, MOST_NODES] = [50, 2000];

async function check(input: Buffer): Promise<Verdict> {
  const built = build(jsonOf(input.toString()));
  if (built === undefined) return 'refused';
  const wire = parseJson(stringifyJson(built.tree));
  const found = await called(() => checkedOql(LIST_CRAWLS, wire, 'filters'));
  const fits = built.levels <= MOST_LEVELS && built.nodes <= MOST_NODES;
  if (found === undefined) {
    if (built.isTyped && fits) throw new Fault('a tree that compiles is refused', built.tree);
    return 'refused';
  }
  if (!fits) throw new Fault('a tree beyond the limits is taken', built.levels);
  if (!Oql.safeParse(wire).success) throw new Fault('the schema refuses what is sent', wire);
  same(found.value, parseJson(stringifyJson(built.plain)), 'another tree is built');
  return 'taken';
}

const name = fc.constantFrom('url', 'title', 'depth', 'page_group_a b', '', 'é', '__proto__', 'and');
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 8 }),
  fc.constantFrom('2026-11-24', '(a+)+$', ''),
);
const amount = fc.oneof(fc.integer(), fc.constantFrom(2n ** 53n + 1n, 2n ** 64n, -0.5, 1e300, -0));
const options = fc.record({ ci: fc.boolean(), regex: fc.boolean() }, { requiredKeys: [] });
const order = fc.constantFrom('gt', 'gte', 'lt', 'lte');
const words = fc.constantFrom('equals', 'contains', 'startsWith', 'endsWith');
const call = fc.oneof(
  fc.tuple(name, fc.constantFrom('hasValue', 'hasNoValue')),
  fc.tuple(name, fc.constantFrom('equals', 'notEquals'), fc.oneof(text, amount, fc.boolean())),
  fc.tuple(name, words, text),
  fc.tuple(name, words, text, options),
  fc.tuple(name, order, fc.oneof(text, amount)),
  fc.tuple(name, fc.constant('between'), fc.oneof(fc.tuple(text, text), fc.tuple(amount, amount))),
  fc.tuple(name, fc.constantFrom(...Object.keys(FILTERS)), fc.oneof(text, amount, fc.boolean(), options)),
);
const calls = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    call,
    fc.array(tie('node'), { maxLength: 3 }).map((nodes) => ({ and: nodes })),
    fc.array(tie('node'), { maxLength: 3 }).map((nodes) => ({ or: nodes })),
  ),
})).node;

/** Filters that a program builds by `where`, `and`, `or`. */
export const builtOql = plainTarget(
  {
    name: 'built-oql',
    seeds: [
      '{"and":[["status_code","gte",400],{"or":[["url","contains","/A",{"ci":true}],["title","hasNoValue"]]}]}',
      '["depth","between",[1,4]]',
      '["n","equals",18446744073709551616]',
      '["n","gt",1e309]',
    ],
    words: [
      ...Object.keys(FILTERS).map((one) => `"${one}"`),
      '"and"',
      '"or"',
      '{"ci":true}',
      '{"regex":false}',
      '1e309',
    ],
    grammar: calls.map((one) => stringifyJson(one)),
    shortRound: 2000,
  },
  check,
);
