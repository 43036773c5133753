import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { testSeed } from '../support/random.ts';
import { keepCase } from './corpus.ts';
import { playTarget } from './play-target.ts';
import { judge } from './round.ts';
import { TARGETS, targetOf } from './targets.ts';

/*
 * `npm run fuzz -- --minutes 30 --target oql-json,rison`: foreign input of each kind, changed at random by a seed, against
 * what must hold (docs/how-we-test.md). Findings are written to the corpus of their target.
 */

/** Inputs of a round that `--keep` writes, and the longest of them, in bytes. */
const MOST_KEPT = 20;
const LONGEST_KEPT = 600;

const { values } = parseArgs({
  options: {
    target: { type: 'string', multiple: true },
    /** Of all targets together. */
    minutes: { type: 'string', default: '5' },
    /** Of each target. */
    cases: { type: 'string' },
    seed: { type: 'string' },
    /** A file to play once. */
    case: { type: 'string' },
    /** Writes inputs that reach new code to the corpus. */
    keep: { type: 'boolean', default: false },
    /** Without coverage. */
    blind: { type: 'boolean', default: false },
  },
});

const named = (values.target ?? []).flatMap((one) => one.split(','));
const names = named.length > 0 ? named : Object.keys(TARGETS);
const seed = values.seed === undefined ? testSeed() : Number(values.seed);
const minutes = Number(values.minutes);
const cases = values.cases === undefined ? Number.POSITIVE_INFINITY : Number(values.cases);
if (!(minutes > 0) || !Number.isInteger(seed) || !(cases > 0))
  throw new Error('--minutes and --cases are numbers above 0, --seed is a whole one');

if (values.case !== undefined) await replay(values.case);
else await playAll();

async function replay(file: string): Promise<void> {
  const [name] = named;
  if (named.length !== 1 || name === undefined) throw new Error('--case needs one --target');
  const opened = await (await targetOf(name)).open();
  try {
    console.info(`${name}: ${await judge(opened.check, readFileSync(file))}`);
  } finally {
    await opened.close?.();
  }
}

async function playAll(): Promise<void> {
  console.info(`seed ${seed}`);
  console.info(row('target', 'cases', 'a second', 'taken', 'blocks', 'new inputs', 'findings'));
  let all = 0;
  let found = 0;
  for (const name of names) {
    const until = Date.now() + (minutes * 60_000) / names.length;
    let kept = 0;
    const onFresh = (input: Uint8Array): void => {
      if (values.keep && input.length <= LONGEST_KEPT && kept++ < MOST_KEPT)
        keepCase(name, 'reaches', Buffer.from(input));
    };
    const { totals, findings } = await playTarget(name, {
      seed,
      cases,
      until,
      isGuided: !values.blind,
      onFresh,
    });
    const { taken, blocks, fresh, seconds } = totals;
    const speed = Math.round(totals.cases / seconds);
    console.info(row(name, totals.cases, speed, taken, blocks, fresh, findings.length));
    for (const { signature, error, input } of findings) {
      console.info(`  ${keepCase(name, `found ${signature}`, Buffer.from(input))}`);
      console.info(`    ${error.split('\n').slice(0, 5).join('\n    ').slice(0, 1500)}`);
    }
    all += totals.cases;
    found += findings.length;
  }
  console.info(`${all} cases, ${found} findings`);
  if (found > 0) process.exitCode = 1;
}

function row(name: string, ...cells: readonly (string | number)[]): string {
  return name.padEnd(20) + cells.map((cell) => String(cell).padStart(11)).join('');
}
