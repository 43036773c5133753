import { EXIT_CODES } from '../../../core/errors/error-codes.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted } from '../../../core/text/amounts.ts';
import { visibleLine } from '../../../core/text/visible.ts';
import { type CheckedProof, compareProofs, differenceLines } from '../../answers/prove/compare-proofs.ts';
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
        hint: `leave out ${flagsOf(invocation).join(', ')}`,
      });
    const then = file === undefined ? null : readProof(await readFlagFile(invocation, 'check', file), file);
    const settings = await invocation.settings();
    await using warehouse = await openWarehouse(invocation, settings);
    if (then === null) {
      const proven = await figureOf(warehouse, settings, { figure: figure ?? '', values }, signal);
      await invocation.write(proofText(await makeProof(warehouse, settings, proven, signal)));
      return 0;
    }
    const proven = {
      ...then,
      parameters: new Map(Object.entries(then.parameters)),
      datasets: then.loads.map(({ dataset }) => dataset),
    };
    const now = await makeProof(warehouse, settings, proven, signal).catch((thrown: unknown) => {
      throw errorOf(thrown, file ?? '');
    });
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

const flagsOf = (invocation: Invocation): readonly string[] => [
  ...['project', 'crawl'].filter((name) => invocation.text(name) !== undefined).map((name) => `--${name}`),
  ...(invocation.texts('param').length > 0 ? ['--param'] : []),
];

/** Names the file in an error of its answer here. */
function errorOf(thrown: unknown, file: string): unknown {
  if (!(thrown instanceof CrawlhouseError)) return thrown;
  const { code, message, hint, cause } = thrown;
  if (code !== 'bad_query') return new CrawlhouseError(code, `--check: ${file}: ${message}`, { hint, cause });
  return new CrawlhouseError(code, `--check: ${file}: its SQL does not run here: ${message}`, {
    cause: thrown,
    hint: 'crawlhouse transform, or load its crawl',
  });
}

async function report(invocation: Invocation, checked: CheckedProof, proven: Proof): Promise<number> {
  const { answer, loads, figure, sql } = proven;
  const { equal, differences } = checked;
  const code = equal ? 0 : EXIT_CODES.refused;
  if (invocation.has('json')) {
    await invocation.printJson(checked);
    return code;
  }
  const scope = `${counted(answer.total, 'row')}, ${counted(loads.length, 'load')}`;
  const isAnswered = differences[0]?.what === 'load';
  const first = equal ? 'equal' : isAnswered ? 'the answer is equal, but its loads differ' : 'not equal';
  const values = Object.entries(proven.parameters).map(([name, value]) => `, ${name} = ${value ?? 'NULL'}`);
  const asked = visibleLine(
    `${figure === 'sql' ? sql.trim().replaceAll(/\s+/g, ' ') : figure}${values.join('')}`,
  );
  await invocation.print(`${[`${first}: ${asked}: ${scope}`, ...differenceLines(differences)].join('\n')}\n`);
  return code;
}
