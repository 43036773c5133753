import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { capture } from '../../app/cli/capture.ts';
import { accessLog } from '../../support/access-log.ts';
import { rawProjectFolder } from '../../support/project.ts';
import { roundSeed, seededRandom } from '../../support/random.ts';

const MAIN = join(import.meta.dirname, '../../../src/app/cli/main.ts');
const SITE = 'https://www.example.com/';
/** Milliseconds in which a signal is answered; a busy machine takes longer for anything. */
const ANSWERED = 4_000;
/** Lines of a log whose reading, settling and loading take longer than the moments below. */
const LINES = 700_000;

/** A command that gets a signal at a moment; how long it took to end. */
async function interrupted(words: readonly string[], after: number): Promise<{ code: number; took: number }> {
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: 'ignore' });
  const ended = once(child, 'close');
  // The moment of the signal is the subject.
  await sleep(after);
  const began = performance.now();
  child.kill('SIGTERM');
  const [code] = await ended;
  return { code: Number(code), took: performance.now() - began };
}

test(`adding a huge file responds to SIGTERM quickly, and the next command adds it (seed ${roundSeed()})`, async () => {
  const folder = await rawProjectFolder();
  const random = seededRandom(roundSeed());
  const log = join(folder, 'access.log');
  let text = '';
  for await (const piece of accessLog({ lines: LINES, days: 3, seed: 1 })) text += String(piece);
  writeFileSync(log, text);
  const days = Array.from({ length: 400_000 }, (_, n) => {
    const day = String(1 + (n % 28)).padStart(2, '0');
    return `2026-10-${day},${SITE}p/${n % 9000},query ${n},${n % 3},${10 + (n % 90)},${1 + (n % 50)}.5\n`;
  });
  const table = join(folder, 'search.csv');
  writeFileSync(table, `date,page,query,clicks,impressions,position\n${days.join('')}`);
  for (const [command, file] of [
    ['logs', log],
    ['demand', table],
  ] as const) {
    const words = [command, 'add', file, '--site', SITE, '--project-dir', folder];
    for (const moment of [3_000, 6_000]) {
      const { code, took } = await interrupted(words, moment + random() * 3_000);
      expect([command, code]).toEqual([command, 143]);
      expect(took).toBeLessThan(ANSWERED);
    }
    const { code } = await capture(...words, '--json');
    expect([command, code]).toEqual([command, 0]);
  }
  const counts = await capture(
    ...[
      'query',
      'SELECT (SELECT count(*) FROM raw.log_events) AS logs, (SELECT count(*) FROM raw.ranking_performance) AS demand',
    ],
    ...['--format', 'json', '--project-dir', folder],
  );
  expect(JSON.parse(counts.stdout)).toEqual([{ logs: LINES, demand: 400_000 }]);
});
