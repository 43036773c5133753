import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { campaign } from './campaign.ts';
import { livePointers } from './pointer-life.ts';
import { quietRejections } from './quiet-rejections.ts';
import { lifeOf, shrink } from './shrink.ts';
import { summaryOf } from './summary.ts';
import { warmUp } from './warm-up.ts';

// `npm run sim -- --seeds 10000` lives many seeds; `npm run sim -- --seed 7 --only 3,17` prints the trace of one.
const MOST_SHRUNK = 3;
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    only: { type: 'string' },
    /** Writers in Trino instead of the installation. */
    pointers: { type: 'boolean', default: false },
    processes: { type: 'string', default: String(availableParallelism()) },
  },
});
const say = (text: string): boolean => process.stdout.write(`${text}\n`);
Error.stackTraceLimit = 6;
quietRejections();
await warmUp();
process.exit(values.seed === undefined ? await liveMany() : await replay(Number(values.seed)));

async function liveMany(): Promise<number> {
  const from = Number(values.from);
  const to = from + Number(values.seeds);
  const startedAt = performance.now();
  let done = 0;
  const lives = await campaign({
    from,
    to,
    processes: Number(values.processes),
    onLife: ({ seed, violation }) => {
      done++;
      if (violation) say(`seed ${seed}: ${violation.message.split('\n')[0]}`);
      const seconds = (performance.now() - startedAt) / 1000;
      if (done % 500 === 0) say(`${done} lives, ${(done / seconds).toFixed(1)} a second`);
    },
  });
  say(summaryOf(lives, (performance.now() - startedAt) / 1000));
  const failed = lives.filter(({ violation }) => violation !== null);
  for (const { seed, violation } of failed.slice(0, MOST_SHRUNK)) {
    if (violation?.isOfPointers) {
      say(`\nseed ${seed}: ${violation.message}\nreplay: npm run sim -- --seed ${seed} --pointers`);
      continue;
    }
    const found = await shrink(seed);
    if (found === null) say(`seed ${seed} does not fail again: look for what is not of the seed`);
    else {
      say(`\nseed ${seed}: ${found.result.violation?.message}`);
      say(
        `the faults that it takes: ${found.result.happened.map(({ fault, kind }) => `${fault} at ${kind}`).join(', ') || 'none'}`,
      );
      say(`replay: npm run sim -- --seed ${seed} --only ${found.only.join(',') || 'none'}`);
    }
  }
  return failed.length === 0 ? 0 : 1;
}

async function replay(seed: number): Promise<number> {
  const only = values.only === undefined ? null : values.only.split(',').map(Number);
  const { trace, violation } = values.pointers
    ? await livePointers(seed, { trace: true })
    : await lifeOf(seed, only, true);
  for (const line of trace ?? []) say(line);
  say(violation === null ? `seed ${seed}: no oracle objects` : `seed ${seed}: ${violation.message}`);
  return violation === null ? 0 : 1;
}
