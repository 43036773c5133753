import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../../../src/app/operations/alert/run-command.ts';
import { setCloudVariables } from '../../../../src/etl/project/settings/command-environment.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { until } from '../../../support/until.ts';

const never = new AbortController().signal;
const MINUTE = 60_000;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a command gets its arguments unchanged and the text on standard input', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'got $HOME;.txt');
  await runCommand(['tee', '--', file], '{"title":"it\'s $(date)"}\n', MINUTE, never);
  expect(await readFile(file, 'utf8')).toBe('{"title":"it\'s $(date)"}\n');
});

test('a command gets no crawlhouse settings', async () => {
  const folder = await temporaryFolder();
  process.env.CRAWLHOUSE_ACCESS_TOKEN = 'a-token-of-the-test';
  onTestFinished(() => void delete process.env.CRAWLHOUSE_ACCESS_TOKEN);
  await runCommand(['sh', '-c', 'env > "$0"', join(folder, 'env.txt')], '', MINUTE, never);
  const environment = await readFile(join(folder, 'env.txt'), 'utf8');
  expect(environment).toContain('PATH=');
  expect(environment).not.toContain('CRAWLHOUSE_');
});

test('a command gets no keys from .env', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, '.env'), 'AWS_SESSION_TOKEN=from-dot-env\n');
  onTestFinished(() => void delete process.env.AWS_SESSION_TOKEN);
  await setCloudVariables(folder);
  expect(process.env.AWS_SESSION_TOKEN).toBe('from-dot-env');
  await runCommand(['sh', '-c', 'env > "$0"', join(folder, 'env.txt')], '', MINUTE, never);
  expect(await readFile(join(folder, 'env.txt'), 'utf8')).not.toContain('from-dot-env');
});

test('a failing or missing command is an error with its reason', async () => {
  await expect(runCommand(['sh', '-c', 'echo no pager >&2; exit 7'], '', MINUTE, never)).rejects.toThrow(
    'sh ended with 7: no pager',
  );
  await expect(runCommand(['/nowhere/pager'], '{}', MINUTE, never)).rejects.toThrow(
    'alerts.command: spawn /nowhere/pager ENOENT',
  );
});

test('a command that does not read its input does no harm', async () => {
  await runCommand(['true'], 'x'.repeat(1_000_000), MINUTE, never);
});

test('a command that takes too long is killed with its children', async () => {
  const file = join(await temporaryFolder(), 'child.pid');
  const script = 'sleep 300 & echo $! > "$0.new"; mv "$0.new" "$0"; wait';
  const abort = new AbortController();
  const slow = runCommand(['sh', '-c', script, file], '', MINUTE, abort.signal);
  const seen = slow.catch((error: unknown) => error);
  const child = await until(async () =>
    existsSync(file) ? Number(await readFile(file, 'utf8')) : undefined,
  );
  expect(isAlive(child)).toBe(true);
  abort.abort(new Error('the service stops'));
  expect(await seen).toMatchObject({ message: 'the service stops' });
  await until(async () => (isAlive(child) ? undefined : true));
  await expect(runCommand(['sleep', '300'], '', 50, never)).rejects.toThrow('sleep was killed after 0.05 s');
});

test('a background child process is not awaited', async () => {
  const file = join(await temporaryFolder(), 'child.pid');
  // Its stderr stays the command's: whoever waits for the end of that waits for the child.
  await runCommand(['sh', '-c', 'sleep 100 >/dev/null & echo $! > "$0"', file], '', MINUTE, never);
  const child = Number(await readFile(file, 'utf8'));
  onTestFinished(() => void process.kill(child, 'SIGKILL'));
  expect(isAlive(child)).toBe(true);
});
