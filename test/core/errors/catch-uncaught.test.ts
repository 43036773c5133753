import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isolateUnit } from '../../../src/core/errors/catch-uncaught.ts';
import '../../support/process-timeout.ts';

const MODULE = JSON.stringify(join(import.meta.dirname, '../../../src/core/errors/catch-uncaught.ts'));

/** A process of its own, since what is tested would end the one of the tests. */
function inProcess(script: string): { status: number | null; stdout: string; stderr: string } {
  const text = `import { catchUncaught } from ${MODULE};
    import { EventEmitter } from 'node:events';
    import { setTimeout as sleep } from 'node:timers/promises';
    const later = (fault) => new Promise(() => setTimeout(fault, 1));
    const unit = (name, work) => {
      const { promise, reject } = Promise.withResolvers();
      return catchUncaught('unit', reject, () => Promise.race([work(), promise]))
        .then((value) => console.log(name, value), (error) => console.log(name, error.code, error.message));
    };
    ${script}`;
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', text], { encoding: 'utf8' });
  return { status: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}

test.for([
  ['a throw in a timer', "later(() => { throw new Error('planted'); })"],
  ['an emitter without a listener', "later(() => new EventEmitter().emit('error', new Error('planted')))"],
  ['a rejection that nobody awaits', "later(() => { Promise.reject(new Error('planted')); })"],
])('%s fails the unit that caused it, and other units continue', ([, fault]) => {
  const { status, stdout } = inProcess(`await Promise.all([
    unit('bad', () => ${fault}),
    unit('good', () => sleep(50, 'done')),
  ]);`);
  expect(stdout).toBe('bad internal uncaught error: planted\ngood done\n');
  expect(status).toBe(0);
});

test('an error outside of units goes to the process, which ends', () => {
  const { stdout, status } = inProcess(`setTimeout(() => { throw new Error('planted'); }, 20);
    const end = (error) => { console.log(error.message, error.cause.message); process.exit(error.exitCode); };
    await catchUncaught('process', end, () => Promise.all([unit('one', () => sleep(60)), sleep(60)]));
    console.log('went on');`);
  expect([stdout, status]).toEqual(['uncaught error: planted planted\n', 1]);
});

test('an error of a host program that uses the library stays with that program', () => {
  const { stdout, stderr, status } = inProcess(`setTimeout(() => { throw new Error("the host's"); }, 5);
    await unit('ours', () => sleep(30));`);
  expect(stdout).toBe('');
  expect(stderr).toContain("the host's");
  expect(status).not.toBe(0);
});

test('work that waits for an impossible event ends with an error', () => {
  const { stdout, status } = inProcess("await unit('stuck', () => new Promise(() => {}));");
  expect(stdout).toBe('stuck internal the work waits for an event that can no longer happen\n');
  expect(status).toBe(0);
});

test('the signal of a unit aborts with the run and at the end of the unit', async () => {
  const run = new AbortController();
  const signals: AbortSignal[] = [];
  const unit = (work: () => Promise<string>) =>
    isolateUnit(run.signal, (signal) => {
      signals.push(signal);
      return work();
    });
  expect(await unit(async () => 'done')).toBe('done');
  expect(signals[0]?.reason).toMatchObject({ code: 'interrupted', message: 'the unit has ended' });
  await expect(unit(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  const waiting = Promise.withResolvers<string>();
  const working = unit(() => waiting.promise);
  expect(signals[2]?.aborted).toBe(false);
  run.abort(new Error('stop'));
  expect(signals[2]?.reason).toMatchObject({ message: 'stop' });
  waiting.resolve('ended');
  expect(await working).toBe('ended');
});

test('the process listens for uncaught errors only while work is in progress', () => {
  const { stdout } = inProcess(`const listeners = () =>
      process.listenerCount('uncaughtException') + process.listenerCount('beforeExit');
    const counts = [listeners()];
    const works = [1, 20].map((ms) => catchUncaught('unit', () => {}, () => sleep(ms)));
    for (const work of works) { counts.push(listeners()); await work; }
    console.log(...counts, listeners());`);
  expect(stdout).toBe('0 2 2 0\n');
});

test('an uncaught error aborts the signal of its unit, whose error it becomes', () => {
  const { stdout, status } = inProcess(`const { isolateUnit } = await import(${MODULE});
    const waits = (signal) => new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      setTimeout(() => { throw new Error('planted'); }, 1);
    });
    await isolateUnit(new AbortController().signal, waits).catch((error) => console.log(error.message));`);
  expect([stdout, status]).toEqual(['uncaught error: planted\n', 0]);
});
