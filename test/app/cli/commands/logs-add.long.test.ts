import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Invocation } from '../../../../src/app/cli/command.ts';
import { logsAdd } from '../../../../src/app/cli/commands/logs-add.ts';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { projectFolder, rawProjectFolder } from '../../../support/project.ts';
import { capture } from '../capture.ts';
import { typing } from '../typing.ts';

const LINE = '203.0.113.9 - - [23/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "A"\n';

test.for([
  [[], 'no log file was named'],
  [['nowhere.log'], 'there is no file nowhere.log'],
  [['*.nothing'], 'there is no file *.nothing'],
  [['access.log', '--format', 'combind', '--site', 'https://e.example/'], 'did you mean combined?'],
  [['access.log', '--time-zone', 'Mars'], '--time-zone: a time zone is expected'],
  [['access.log', '--verify', 'no'], '--verify'],
  [['access.log', '--on-reject', 'drop'], '--on-reject: drop is not a valid value'],
  [['access.log', '--site', 'e.example'], '--site: e.example is not an http or https URL'],
  [['access.log'], 'this project folder has no crawled website'],
  [['other.txt', '--site', 'https://e.example/'], 'its format is unknown; it begins: aaa aaa'],
  [['store_a:logs/', '--site', 'https://e.example/'], 'store_a.bucket'],
] as const)('logs add %j is a usage error with a message', async ([argv, words]) => {
  const folder = await projectFolder();
  writeFileSync(join(folder, 'access.log'), LINE);
  writeFileSync(join(folder, 'other.txt'), 'Dear diary\n');
  const files = argv.map((one) =>
    /\.(log|txt)$/.test(one) && one !== 'nowhere.log' ? join(folder, one) : one,
  );
  const { code, stderr } = await capture('logs', 'add', ...files, '--project-dir', folder);
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
});

/** A file with a line of a year before the others. */
const SPREAD = LINE.replace('2026', '2025') + LINE;

test('on a terminal, a file with distant days is added only after a yes', async () => {
  const folder = await rawProjectFolder();
  writeFileSync(join(folder, 'access.log'), SPREAD);
  const settings = await loadSettings(folder, {});
  const add = () => {
    const typist = typing();
    const said: string[] = [];
    const invocation: Partial<Invocation> = {
      positionals: ['access.log'],
      workingDirectory: folder,
      texts: () => [],
      has: () => false,
      text: (flag) => (flag === 'site' ? 'https://e.example/' : undefined),
      settings: async () => settings,
      logger: silentLogger,
      signal: new AbortController().signal,
      person: typist.person,
      terminal: null,
      progress: () => {},
      say: (text) => void said.push(text),
      print: async (text) => void said.push(text),
    };
    const ended = logsAdd.run(invocation as Invocation);
    return { ...typist, ended, said: () => said.join('') };
  };
  const declined = add();
  await declined.answer('Add it?', '');
  expect(await declined.ended).toBe(4);
  expect(declined.said()).toContain(
    'access.log: its lines cover 2 days that are far apart: check 2025-11-23 10:00',
  );
  const agreed = add();
  await agreed.answer('Add it?', 'yes');
  expect(await agreed.ended).toBe(0);
  expect(agreed.said()).toMatch(/access.log +added/);
});

/** Times without an offset: the zone is a guess. */
const LOCAL = '2026-11-23T10:00:00 GET / 200\n';

test('on a terminal, only guesses need confirmation', async () => {
  const folder = await rawProjectFolder();
  writeFileSync(join(folder, 'local.log'), LOCAL);
  writeFileSync(join(folder, 'certain.log'), LINE);
  const settings = await loadSettings(folder, {});
  const add = (file: string, flags: Readonly<Record<string, string>>) => {
    const typist = typing();
    const said: string[] = [];
    const invocation: Partial<Invocation> = {
      positionals: [file],
      workingDirectory: folder,
      texts: () => [],
      has: () => false,
      text: (flag) => ({ site: 'https://e.example/', ...flags })[flag],
      settings: async () => settings,
      logger: silentLogger,
      signal: new AbortController().signal,
      person: typist.person,
      terminal: null,
      progress: () => {},
      say: (text) => void said.push(text),
      print: async (text) => void said.push(text),
    };
    return { ...typist, ended: logsAdd.run(invocation as Invocation), said: () => said.join('') };
  };
  const format = '%{%Y-%m-%dT%H:%M:%S}t %m %U %>s';
  const declined = add('local.log', { format });
  await declined.answer('Add it?', 'no');
  expect(await declined.ended).toBe(4);
  expect(declined.said()).toMatch(/time zone +UTC: times have no offset \(a guess\)/);
  expect(await add('local.log', { format, 'time-zone': 'UTC' }).ended).toBe(0);
  const certain = add('certain.log', {});
  expect(await certain.ended).toBe(0);
  expect(certain.said()).toMatch(/format +combined/);
});

test('without a terminal, a file with distant days is added with a note', async () => {
  const folder = await rawProjectFolder();
  writeFileSync(join(folder, 'access.log'), SPREAD);
  const { code, stdout } = await capture(
    ...['logs', 'add', join(folder, 'access.log'), '--site', 'https://e.example/', '--project-dir', folder],
  );
  expect([code, stdout]).toEqual([0, expect.stringContaining('its lines cover 2 days that are far apart')]);
});

test('--dry-run prints how files are read, and stores nothing', async () => {
  const folder = await rawProjectFolder();
  const file = join(folder, 'access.log');
  const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  writeFileSync(
    file,
    LINE.replace('"A"', `"${agent}"`) + LINE.replace('"A"', '"curl/8"').replace('GET /', 'GET /b'),
  );
  const flags = ['--site', 'https://e.example/', '--project-dir', folder];
  const dry = await capture('logs', 'add', file, '--dry-run', ...flags);
  expect([dry.code, dry.stderr]).toEqual([0, expect.stringContaining('Nothing was stored (--dry-run).')]);
  for (const fact of [
    /format +combined/,
    /host +https:\/\/e.example\/: lines name none/,
    /lines +2 requests/,
    /first line +2026-11-23 10:00:00 UTC GET https:\/\/e.example\/ 200 "Mozilla/,
    /last line +2026-11-23 10:00:00 UTC GET https:\/\/e.example\/b 200 "curl\/8"/,
    /bots +50 % of the requests/,
    /replaces +0 requests/,
    /access.log +planned/,
  ])
    expect(dry.stdout).toMatch(fact);
  const { code, stdout } = await capture('logs', 'add', file, '--json', ...flags);
  expect([code, JSON.parse(stdout).files]).toEqual([
    0,
    [expect.objectContaining({ status: 'added', events: 2 })],
  ]);
  const again = await capture('logs', 'add', file, '--dry-run', '--json', '--again', ...flags);
  expect(JSON.parse(again.stdout)).toMatchObject({
    files: [{ status: 'planned', understood: { replaced_events: 2, bots_percent: 50 } }],
    run: null,
  });
});
