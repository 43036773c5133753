import { EXIT_CODES } from '../../../core/errors/error-codes.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted } from '../../../core/text/amounts.ts';
import { parseJsonAsWritten, stringifyJson } from '../../../core/text/json.ts';
import { figureOf } from '../../answers/prove/figure-of.ts';
import { makeProof } from '../../answers/prove/make-proof.ts';
import { type CheckedProof, compareProofs, type Difference, Proof } from '../../answers/prove/proof.ts';
import { openWarehouse } from '../../answers/query/open-warehouse.ts';
import type { Command, Invocation } from '../command.ts';
import { parametersOf, readFlagFile } from '../flag-values.ts';
import { EXPLORE_FLAGS } from '../reports/explored.ts';

export const prove: Command = {
  name: 'prove',
  summary: 'print an answer as JSON with everything that it rests on, or check such a file',
  positionals: { shown: '[FIGURE]', most: 1 },
  flags: {
    ...EXPLORE_FLAGS,
    param: {
      short: 'p',
      value: 'NAME=VALUE',
      multiple: true,
      help: 'the value of $NAME in the SQL, or of a parameter of the question',
    },
    check: { value: 'FILE', help: 'answer again with the loads of this machine, and compare' },
  },
  async run(invocation) {
    const { signal } = invocation;
    const [figure] = invocation.positionals;
    const file = invocation.text('check');
    if ((figure === undefined) === (file === undefined))
      throw new CrawlhouseError('usage', 'prove needs either a figure or --check FILE', {
        hint: 'crawlhouse prove issue:noindex, question:q05, card:indexable_pages or SQL',
      });
    const settings = await invocation.settings();
    const then = file === undefined ? null : await readProof(invocation, file);
    const values = new Map(parametersOf(invocation.texts('param')));
    for (const name of ['project', 'crawl']) {
      const value = invocation.text(name);
      if (value !== undefined) values.set(name, value);
    }
    await using warehouse = await openWarehouse(invocation, settings);
    const proven =
      then === null
        ? await figureOf(warehouse, settings, { figure: figure ?? '', values }, signal)
        : { ...then, parameters: new Map(Object.entries(then.parameters)) };
    const now = await makeProof(warehouse, settings, proven, signal);
    // The document holds rows, so nothing in it is masked.
    if (then === null) await invocation.write(`${stringifyJson(now, 2)}\n`);
    else return await report(invocation, compareProofs(then, now), then);
    return 0;
  },
};

/** @throws CrawlhouseError `usage` for a file that is not a proof */
async function readProof(invocation: Invocation, file: string): Promise<Proof> {
  const text = await readFlagFile(invocation, 'check', file);
  try {
    return Proof.parse(parseJsonAsWritten(text));
  } catch (cause) {
    throw new CrawlhouseError('usage', `--check: ${file} is not a document of crawlhouse prove`, { cause });
  }
}

async function report(invocation: Invocation, checked: CheckedProof, then: Proof): Promise<number> {
  if (invocation.has('json')) await invocation.printJson(checked);
  else if (checked.equal)
    await invocation.print(
      `equal: ${counted(then.answer.total, 'row')}, ${counted(then.loads.length, 'load')}\n`,
    );
  else await invocation.print(`${checked.differences.map(differenceText).join('\n')}\n`);
  return checked.equal ? 0 : EXIT_CODES.refused;
}

function differenceText(difference: Difference): string {
  if (difference.what === 'load') return `load ${difference.unit}: ${difference.state}`;
  return `${difference.what}: ${difference.then}; now ${difference.now}`;
}
