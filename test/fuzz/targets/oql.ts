import { Oql } from '../../../src/client/oql/oql.ts';
import { OqlError, parseOql } from '../../../src/client/oql/parse-oql.ts';
import { printOql } from '../../../src/client/oql/print-oql.ts';
import { jsonOf, stringifyJson } from '../../../src/core/text/json.ts';
import { Fault, plainTarget, same, type Verdict } from '../target.ts';
import { oqlTree } from './oql-tree.ts';

/** Printed trees and what they stand for: two meanings must not read alike. */
const printed = new Map<string, string>();
const MOST_PRINTED = 100_000;

function check(input: Buffer): Verdict {
  const value = jsonOf(input.toString());
  let tree: Oql;
  try {
    tree = parseOql(value);
  } catch (error) {
    if (!(error instanceof OqlError) || !error.message.startsWith('oql')) throw error;
    const isLarge = error.problem === 'too_deep' || error.problem === 'too_large';
    if (!isLarge && Oql.safeParse(value).success)
      throw new Fault('the schema takes what parseOql refuses', error.message);
    return 'refused';
  }
  if (!Oql.safeParse(value).success) throw new Fault('the schema refuses what parseOql takes', tree);
  same(tree, value, 'parseOql');
  const text = printOql(tree);
  const meaning = stringifyJson(plain(tree));
  if ((printed.get(text) ?? meaning) !== meaning)
    throw new Fault('two trees read alike', `${text.slice(0, 200)}: ${meaning} and ${printed.get(text)}`);
  if (printed.size < MOST_PRINTED) printed.set(text, meaning);
  return 'taken';
}

/** A tree without what makes no difference: compounds of one, options that are off. */
function plain(oql: Oql): unknown {
  if ('field' in oql) {
    const [field, filter, value, { ci = false, regex = false } = {}] = oql.field;
    // Its value says nothing.
    if (filter === 'has_value') return [field, filter];
    return [field, filter, Object.is(value, -0) ? 0 : value, ci, regex];
  }
  const [word, children] = 'and' in oql ? (['and', oql.and] as const) : (['or', oql.or] as const);
  const [only] = children;
  return children.length === 1 && only ? plain(only) : [word, ...children.map(plain)];
}

/** Filters in requests, segments and links, as JSON; also as text for people. */
export const oqlJson = plainTarget(
  {
    name: 'oql-json',
    seeds: [
      '{"and":[{"field":["status_code","gte",400]},{"or":[{"field":["url","contains","/a",{"ci":true}]}]}]}',
      '{"field":["depth","between",[1,4]]}',
    ],
    words: [
      '"field"',
      '"and"',
      '"or"',
      '"equals"',
      '"between"',
      '"has_value"',
      '{"ci":true}',
      '{"regex":false}',
    ],
    grammar: oqlTree.map((tree) => stringifyJson(tree)),
    shortRound: 2000,
  },
  check,
);
