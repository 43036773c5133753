import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/temporary.ts';
import { judgeSeries } from './judge.ts';
import { sampleFolders, sampleProcess, temporaryFiles } from './sample.ts';

/** Opens a file for each line that comes, and answers with a line. */
const LEAK = `
  const { openSync } = require('node:fs');
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    if (line === 'leak') openSync(process.execPath);
    console.log('done');
  });`;

test.for([
  ['leak', 'rising'],
  ['rest', 'flat'],
])('for a process that does this at each tick: %s, the handles are %s', async ([word, verdict]) => {
  const child = spawn(process.execPath, ['-e', LEAK], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const answers = createInterface({ input: child.stdout });
  const values: (number | null)[] = [];
  for (let tick = 0; tick < 40; tick++) {
    const answered = once(answers, 'line');
    child.stdin.write(`${word}\n`);
    await answered;
    values.push((await sampleProcess(child.pid ?? 0))?.handles ?? null);
  }
  expect(judgeSeries({ name: 'fake', quantity: 'handles', values }).verdict).toBe(verdict);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await sampleProcess(child.pid ?? 0)).toBeNull();
});

test('memory is in bytes, and threads and child processes are counted', async () => {
  const own = await sampleProcess(process.pid);
  expect(own?.memory).toBeGreaterThan(20e6);
  expect(own?.memory).toBeLessThan(20e9);
  expect(own?.threads).toBeGreaterThan(1);
  const child = spawn('sleep', ['60']);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  expect((await sampleProcess(process.pid))?.children).toBe((own?.children ?? 0) + 1);
});

test('growing temporary files count, and all files in spill and package folders', async () => {
  const folder = join(await temporaryFolder(), 'project');
  await mkdir(join(folder, '.crawlhouse', 'spill'), { recursive: true });
  await writeFile(join(folder, 'warehouse.duckdb'), 'x'.repeat(100));
  await writeFile(join(folder, 'warehouse.duckdb.1234.tmp'), 'x'.repeat(10));
  await writeFile(join(folder, '.crawlhouse', 'spill', 'a'), 'x');
  const found = await sampleFolders([folder, join(folder, 'nowhere')]);
  expect(found).toEqual({ disk: 111, temporaryFiles: 2, temporaryDisk: 11 });
  expect((await temporaryFiles([folder])).sort()).toEqual([
    'project/.crawlhouse/spill/a',
    'project/warehouse.duckdb.1234.tmp',
  ]);
});
