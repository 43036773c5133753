import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { RelationNames } from '../../src/etl/engines/trino/client/relation-names.ts';
import { TrinoClient } from '../../src/etl/engines/trino/client/trino-client.ts';
import { seededRandom, testSeed } from '../support/random.ts';
import { sharedFolder } from '../support/temporary.ts';

const trino = inject('trino');
const WRITER = join(import.meta.dirname, '..', 'support', 'trino-writer.ts');
const STEPS = ['begin', 'load a', 'load b', 'build', 'publish'];
const KILLS = 8;

const prefix = `k${randomUUID().slice(0, 8)}_`;
const names = new RelationNames(prefix);

const folder = sharedFolder();

function write(version: number): ChildProcess {
  return spawn(process.execPath, [WRITER, JSON.stringify(trino), prefix, String(version), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Kills the writer so many milliseconds after it has begun a step; it may have ended by then. */
async function killIn(child: ChildProcess, step: string, milliseconds: number): Promise<void> {
  const ended = once(child, 'exit');
  if (child.stdout)
    for await (const line of createInterface({ input: child.stdout })) {
      if (line !== step) continue;
      await sleep(milliseconds);
      child.kill('SIGKILL');
    }
  await ended;
}

test('a killed writer leaves readers a complete publication, and the next one continues', async () => {
  await using client = new TrinoClient({ url: trino.url, user: 'test', catalog: trino.catalog });
  const random = seededRandom(testSeed());
  const first = write(1);
  onTestFinished(() => void first.kill('SIGKILL'));
  await killIn(first, 'end', 0);
  const read = async (): Promise<string> => {
    const [row] = await client.rows(
      `SELECT (SELECT array_agg(n ORDER BY n) FROM ${names.reader('raw.crawl_pages')}) AS pages,
         (SELECT array_agg(n ORDER BY n) FROM ${names.reader('mart.copy')}) AS copy`,
    );
    return `${row?.pages} ${row?.copy}`;
  };
  const whole = (version: number): string => `${Array(4).fill(version)} ${Array(4).fill(version)}`;
  const possible = [whole(1)];
  const seen = [await read()];
  for (let version = 2; version < KILLS + 2; version++) {
    possible.push(whole(version));
    const child = write(version);
    onTestFinished(() => void child.kill('SIGKILL'));
    await killIn(child, STEPS[Math.floor(random() * STEPS.length)] ?? '', random() * 600);
    seen.push(await read());
  }
  expect(seen.filter((one) => !possible.includes(one))).toEqual([]);
  const last = write(99);
  onTestFinished(() => void last.kill('SIGKILL'));
  const [code] = await once(last, 'exit');
  expect([code, await read()]).toEqual([0, whole(99)]);
});
