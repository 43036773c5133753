import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ConversionPlaces, planEngine } from '../../../src/core/duckdb/conversion-places.ts';
import { Database } from '../../../src/core/duckdb/duckdb.ts';
import { temporaryFolder } from '../../support/temporary.ts';

test.for([
  [1, '400MB', { places: 1, conversionThreads: 1, aloneThreads: 1, widePlaces: 1 }],
  [2, '400MB', { places: 2, conversionThreads: 1, aloneThreads: 2, widePlaces: 1 }],
  [4, '400MB', { places: 3, conversionThreads: 1, aloneThreads: 3, widePlaces: 1.5 }],
  [64, '300MB', { places: 2, conversionThreads: 1, aloneThreads: 2, widePlaces: 2 }],
  [8, '2GB', { places: 3, conversionThreads: 6, aloneThreads: 8, widePlaces: 1 }],
  [16, '1.5 GiB', { places: 3, conversionThreads: 9, aloneThreads: 11, widePlaces: 1 }],
  [8, '100KB', { places: 1, conversionThreads: 1, aloneThreads: 1, widePlaces: 1 }],
] as const)('%i threads and %s of memory are shared so that both suffice', ([threads, memory, plan]) => {
  expect(planEngine(threads, memory)).toEqual(plan);
});

async function engineOf(
  threads: number,
): Promise<{ engine: ConversionPlaces; threadsNow: () => Promise<number> }> {
  const database = await Database.open({
    memoryLimit: '400MB',
    threads,
    tempDirectory: join(await temporaryFolder(), 'spill'),
  });
  onTestFinished(() => database[Symbol.asyncDispose]());
  const connection = await database.connect();
  const threadsNow = async () => Number(await connection.scalar("SELECT current_setting('threads')"));
  return { engine: await ConversionPlaces.start(database, threads, '400MB'), threadsNow };
}

test('conversions run in parallel as memory allows, then DuckDB has all its threads again', async () => {
  const { engine, threadsNow } = await engineOf(2);
  let running = 0;
  let most = 0;
  const threads = new Set<number>();
  const convert = async (): Promise<void> => {
    most = Math.max(most, ++running);
    threads.add(await threadsNow());
    running--;
  };
  await Promise.all(Array.from({ length: 6 }, () => engine.convert(10, convert)));
  expect([most, [...threads], await threadsNow()]).toEqual([2, [1], 2]);
  most = 0;
  const { engine: ofThree } = await engineOf(3);
  await Promise.all(Array.from({ length: 6 }, () => ofThree.convert(750, convert)));
  expect(most).toBe(2);
});

test('a conversion out of shared memory runs again alone; other errors stay errors', async () => {
  const { engine, threadsNow } = await engineOf(2);
  const steps: string[] = [];
  let running = 0;
  const convert = (name: string) => async (): Promise<string> => {
    running++;
    await threadsNow();
    const isFirst = !steps.includes(`${name} is too large`);
    if (isFirst && name !== 'other') steps.push(`${name} is too large`);
    else steps.push(`${name} beside ${running - 1}`);
    await threadsNow();
    running--;
    if (isFirst && name !== 'other') throw new Error('Out of Memory Error: failed to allocate data');
    return name;
  };
  const names = ['one', 'two', 'other'];
  expect(await Promise.all(names.map((name) => engine.convert(10, convert(name))))).toEqual(names);
  expect(steps).toEqual(expect.arrayContaining(['one beside 0', 'two beside 0']));
  let tries = 0;
  const fails = (message: string) => async (): Promise<never> => {
    tries++;
    throw new Error(message);
  };
  const { engine: ofOne } = await engineOf(1);
  for (const [places, message, wanted] of [
    [engine, 'Conversion Error', 1],
    [engine, 'Out of Memory Error', 2],
    [ofOne, 'Out of Memory Error', 1],
  ] as const) {
    tries = 0;
    await expect(places.convert(10, fails(message))).rejects.toThrow(message);
    expect(tries).toBe(wanted);
  }
});

test('an exclusive conversion gets the threads that memory allows, and nothing runs next to it', async () => {
  const { engine, threadsNow } = await engineOf(8);
  const steps: string[] = [];
  const step = (name: string) => async (): Promise<void> => {
    steps.push(`${name} on ${await threadsNow()}`);
    steps.push(`${name} ends`);
  };
  const alone = async (work: () => Promise<void>): Promise<void> => {
    await using _alone = await engine.alone();
    await work();
  };
  await Promise.all([alone(step('load')), engine.convert(10, step('part')), alone(step('next'))]);
  expect(steps).toEqual(['load on 3', 'load ends', 'part on 1', 'part ends', 'next on 3', 'next ends']);
  await expect(engine.convert(10, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await threadsNow()).toBe(8);
});
