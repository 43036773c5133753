import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { capture, type Outcome, projectFolder } from '../../app/cli/capture.ts';
import { sendJson, testService } from '../../client/test-service.ts';
import { patchProject, projectId } from '../../service/clients.ts';
import { service } from '../../service/support.ts';

/** A title of the window, a colour by C1, a text turned round, a line of ours written over. */
const EVIL = 'evil\u001b]0;owned\u0007\u009b31m\u202etxt\u2066\u007f\rDone.';
const SHOWN = 'evil\\u001b]0;owned\\u0007\\u009b31m\\u202etxt\\u2066\\u007f\\u000dDone.';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

function expectHarmless({ stdout, stderr }: Outcome, of: string): void {
  expect(OBEYED.exec(`${stdout}${stderr}`)?.[0], of).toBeUndefined();
}

/** Stdout as a terminal, for one test. */
function onTerminal(): void {
  const was = process.stdout.isTTY;
  process.stdout.isTTY = true;
  onTestFinished(() => {
    process.stdout.isTTY = was;
  });
}

test('names from the service are escaped in every report, log line and log file on a terminal', async () => {
  const it = await service({ generate: ['projects=1,crawls=2,pages=10,links=10,columns=20,seed=3'] });
  await patchProject(it, await projectId(it), { name: EVIL });
  const folder = await projectFolder(
    `base_url: ${it.sandbox.baseUrl}\naccess_token: ${it.sandbox.accessToken}\n`,
  );
  let seen = '';
  for (const argv of [
    ['discover'],
    ['run', '--plan'],
    ['run', '--debug', '--project', EVIL],
    ['status'],
    ['status', EVIL],
    ['run', '--project', `${EVIL}?`],
    ['drop', '--project', EVIL, '--plan'],
    ['discover', '--json'],
    [EVIL],
    ['run', `--${EVIL}`],
  ]) {
    const outcome = await capture(...argv, '--project-dir', folder);
    expectHarmless(outcome, argv.join(' '));
    seen += outcome.stdout + outcome.stderr;
  }
  expect(seen).toContain(SHOWN);
  const logs = join(folder, '.crawlhouse', 'logs');
  for (const name of await readdir(logs)) {
    const text = await readFile(join(logs, name), 'utf8');
    expect(OBEYED.exec(text)?.[0]).toBeUndefined();
    for (const line of text.trim().split('\n')) JSON.parse(line);
  }
});

test('an error message from the service is escaped on a terminal', async () => {
  const it = await testService((_seen, response) => {
    sendJson(response, 403, { type: 'forbidden', code: EVIL, message: EVIL, fields: [{ name: EVIL }] });
  });
  const folder = await projectFolder(`base_url: ${it.baseUrl}\naccess_token: a-token\n`);
  for (const argv of [['discover'], ['run', '--debug'], ['doctor']]) {
    const outcome = await capture(...argv, '--project-dir', folder);
    expectHarmless(outcome, argv.join(' '));
    expect(outcome.stdout + outcome.stderr).toContain(SHOWN);
  }
});

test('query rows escape control characters on a terminal, and are exact for programs', async () => {
  const it = await service({ generate: ['projects=1,crawls=1,pages=5,columns=20,seed=3'] });
  const folder = await projectFolder(
    `base_url: ${it.sandbox.baseUrl}\naccess_token: ${it.sandbox.accessToken}\n`,
  );
  expect((await capture('run', '--project-dir', folder)).code).toBe(0);
  const value = [...EVIL].map((one) => `chr(${one.codePointAt(0)})`).join(' || ');
  const ask = (...more: string[]) =>
    capture(
      'query',
      `SELECT ${value} AS "${EVIL.replace('\r', '')}", 1 AS n`,
      ...more,
      '--project-dir',
      folder,
    );
  for (const format of ['table', 'markdown']) expectHarmless(await ask('--format', format), format);
  expect((await ask('--format', 'csv')).stdout).toContain(`"${EVIL}",1`);
  const json = await ask('--format', 'json');
  expect(Object.values((JSON.parse(json.stdout) as object[])[0] ?? {})).toEqual([EVIL, 1]);
  expectHarmless(await capture('query', `SELECT "${EVIL}"`, '--project-dir', folder), 'an error');

  onTerminal();
  for (const format of ['table', 'markdown', 'csv', 'json', 'jsonl'])
    expectHarmless(await ask('--no-color', '--format', format), `${format} on a terminal`);
  const shown = JSON.parse((await ask('--no-color', '--format', 'json')).stdout) as object[];
  expect(Object.values(shown[0] ?? {})).toEqual([EVIL, 1]);
});
