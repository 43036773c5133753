import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { verifyBlocks } from '../../../../src/core/duckdb/database-blocks.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { publish } from '../../../../src/etl/pipeline/publish/publish.ts';
import { readWhole } from '../../../support/bit-rot.ts';
import { IN_DUCKDB } from '../../../support/in-duckdb.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';
import { placeIn, withWorking } from '../../engines/open-working.ts';
import '../../../support/process-timeout.ts';

const signal = new AbortController().signal;

/** A module of `src`, to be imported by a process of its own. */
function source(path: string): string {
  return JSON.stringify(new URL(`../../../../src/${path}`, import.meta.url).href);
}

/** A process that publishes one table more and is killed as soon as it calls a function of the file system. */
async function publishKilledAt(folder: string, table: string, call: string): Promise<string | null> {
  const { stateDir, published } = placeIn(folder);
  const script = join(folder, `publish-${table}.ts`);
  await writeFile(
    script,
    `import fs from 'node:fs/promises';
     import { syncBuiltinESMExports } from 'node:module';
     const [name, end] = ${JSON.stringify(call.split(' '))};
     const real = fs[name];
     fs[name] = async (...paths) => {
       const isIt = end === undefined || paths.some((path) => String(path).endsWith(end));
       if (isIt) process.kill(process.pid, 'SIGKILL');
       return real(...paths);
     };
     syncBuiltinESMExports();
     const { Database } = await import(${source('core/duckdb/duckdb.ts')});
     const { WorkingCopy } = await import(${source('etl/engines/working-copy.ts')});
     const { silentLogger } = await import(${source('core/logs/logger.ts')});
     const { publish } = await import(${source('etl/pipeline/publish/publish.ts')});
     const database = await Database.open({ memoryLimit: '300MB', threads: 2, tempDirectory: ${JSON.stringify(join(folder, 'spill'))} });
     const working = await WorkingCopy.open(database, { stateDir: ${JSON.stringify(stateDir)}, warehouse: ${JSON.stringify(published)}, engine: ${JSON.stringify(IN_DUCKDB)} }, silentLogger);
     await working.connection.run('CREATE TABLE raw.${table} AS SELECT i FROM range(1000) AS t(i)');
     await working.markDirty();
     await publish(working, silentLogger, new AbortController().signal);
     await working[Symbol.asyncDispose]();`,
  );
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [, killedBy] = (await Promise.race([once(child, 'exit'), sleep(30_000, [null, 'timeout'])])) as [
    unknown,
    string | null,
  ];
  return killedBy;
}

/** Publishes one table more, in a process that ends in order. */
async function publishTable(folder: string, name: string): Promise<void> {
  await withWorking(folder, async (working) => {
    await working.connection.run(`CREATE TABLE raw.${name} AS SELECT 1 AS i`);
    await working.markDirty();
    await publish(working, silentLogger, signal);
  });
}

test.for([
  ['before the spare file has its other name', 'rename .publishing', false],
  ['before anything was written to it', 'open .publishing', false],
  ['when its blocks are new', 'chmod .publishing', false],
  ['before the former file has its second name', 'link .former', false],
  ['before the former file is the spare one', 'rename .former', true],
  ['before the note of it is there', 'rename spare.json', true],
] as const)(
  'a publication into the spare file, killed %s, leaves a complete file, and the next run publishes everything',
  async ([_what, call, isNew]) => {
    const folder = await temporaryFolder();
    const { published, stateDir } = placeIn(folder);
    const connection = await temporaryConnection(folder);
    await publishTable(folder, 'first');
    await publishTable(folder, 'other');
    const { ino } = await stat(join(stateDir, 'spare.duckdb'));
    expect(await publishKilledAt(folder, 'second', call)).toBe('SIGKILL');
    const former = { first: 1, other: 1 };
    expect(await readWhole(connection, published)).toEqual(isNew ? { ...former, second: 1000 } : former);
    if (isNew) expect((await stat(published)).ino).toBe(ino);
    for (const name of ['third', 'fourth', 'fifth']) await publishTable(folder, name);
    const all = { ...former, second: 1000, third: 1, fourth: 1, fifth: 1 };
    expect(await readWhole(connection, published)).toEqual(all);
    await verifyBlocks(published);
    expect((await readdir(folder)).filter((name) => name.startsWith('warehouse'))).toEqual([
      'warehouse.duckdb',
    ]);
  },
);

test.for([
  ['before the copy', 'copyFile .publishing', false],
  ['before the former file has its second name', 'link .former', false],
  ['between that and the rename', 'rename .publishing', false],
  ['after the rename, before the second name goes', 'rename .former', true],
] as const)(
  'a publication killed %s leaves a complete file, and the next run publishes everything',
  async ([_what, call, isNew]) => {
    const folder = await temporaryFolder();
    const { published } = placeIn(folder);
    const connection = await temporaryConnection(folder);
    await withWorking(folder, async (working) => {
      await working.connection.run('CREATE TABLE raw.first AS SELECT 1 AS i');
      await publish(working, silentLogger, signal);
    });
    expect(await publishKilledAt(folder, 'second', call)).toBe('SIGKILL');
    expect(await readWhole(connection, published)).toEqual(isNew ? { first: 1, second: 1000 } : { first: 1 });
    await withWorking(folder, (working) => publish(working, silentLogger, signal));
    expect(await readWhole(connection, published)).toEqual({ first: 1, second: 1000 });
    expect((await readdir(folder)).filter((name) => name.startsWith('warehouse'))).toEqual([
      'warehouse.duckdb',
    ]);
  },
);
