import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import '../../support/process-timeout.ts';

const MODULE = join(import.meta.dirname, '../../../src/app/cli/keep-heap-small.ts');
/** Holds 50,000 objects at a time, of two million: how large the heap became, in MB. */
const GARBAGE = `
  const held = [];
  for (let i = 0; i < 2_000_000; i++) held[i % 50_000] = { i, name: 'page ' + i, links: [i, i + 1] };
  const { getHeapStatistics } = await import('node:v8');
  console.log(Math.round(getHeapStatistics().total_heap_size / 1e6));`;

async function heapOf(beginning: string): Promise<{ megabytes: number; stderr: string }> {
  const args = [
    '--disable-warning=ExperimentalWarning',
    '--input-type=module',
    '--eval',
    beginning + GARBAGE,
  ];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  return { megabytes: Number(stdout), stderr };
}

test('garbage does not grow the heap, and V8 accepts the flag', async () => {
  const usual = await heapOf('');
  const small = await heapOf(`(await import('file://${MODULE}')).keepHeapSmall();`);
  expect(small.stderr).toBe('');
  expect(small.megabytes).toBeLessThan(usual.megabytes * 0.6);
});
