import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
