import { EXIT_CODES } from '../../../core/errors/error-codes.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted } from '../../../core/text/amounts.ts';
import { type CheckedProof, compareProofs, differenceText } from '../../answers/prove/compare-proofs.ts';
import { FIGURES, figureOf, sqlOfFigure } from '../../answers/prove/figure-of.ts';
import { makeProof } from '../../answers/prove/make-proof.ts';
import { type Proof, proofText, readProof } from '../../answers/prove/proof.ts';
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
      throw new CrawlhouseError('usage', 'prove needs either a figure or --check FILE', { hint: FIGURES });
    const values = valuesOf(invocation);
    if (file !== undefined && values.size > 0)
      throw new CrawlhouseError('usage', '--check uses the parameters of the file', {
        hint: `leave out ${[...values.keys()].join(', ')}`,
      });
    const then = file === undefined ? null : readProof(await readFlagFile(invocation, 'check', file), file);
    const settings = await invocation.settings();
    await using warehouse = await openWarehouse(invocation, settings);
    if (then === null) {
      const proven = await figureOf(warehouse, settings, { figure: figure ?? '', values }, signal);
      await invocation.write(proofText(await makeProof(warehouse, settings, proven, signal)));
      return 0;
    }
    const proven = { ...then, parameters: new Map(Object.entries(then.parameters)) };
    const now = await makeProof(warehouse, settings, proven, signal);
    return await report(invocation, compareProofs(then, now, await sqlOfFigure(then, settings)), then);
  },
};

/** @throws CrawlhouseError `usage` for a value that is given twice */
function valuesOf(invocation: Invocation): ReadonlyMap<string, string> {
  const values = new Map(parametersOf(invocation.texts('param')));
  for (const name of ['project', 'crawl']) {
    const value = invocation.text(name);
    if (value === undefined) continue;
    if (values.has(name))
      throw new CrawlhouseError('usage', `--${name} and --param ${name} cannot be combined`);
    values.set(name, value);
  }
  return values;
}

async function report(
  invocation: Invocation,
  checked: CheckedProof,
  { answer, loads }: Proof,
): Promise<number> {
  const { equal, differences } = checked;
  const code = equal ? 0 : EXIT_CODES.refused;
  if (invocation.has('json')) {
    await invocation.printJson(checked);
    return code;
  }
  const scope = `${counted(answer.total, 'row')}, ${counted(loads.length, 'load')}`;
  const isAnswered = differences[0]?.what !== 'answer';
  const first = equal ? 'equal' : isAnswered ? 'the answer is equal, but its loads differ' : 'not equal';
  await invocation.print(`${[`${first}: ${scope}`, ...differences.map(differenceText)].join('\n')}\n`);
  return code;
}
