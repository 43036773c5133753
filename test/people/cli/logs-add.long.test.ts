import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLogger } from '../../../src/core/logs/logger.ts';
import type { Invocation } from '../../../src/people/cli/command.ts';
import { logsAdd } from '../../../src/people/cli/commands/logs-add.ts';
import { loadSettings } from '../../../src/people/settings/load-settings.ts';
import { projectFolder, rawProjectFolder } from '../../support/project.ts';
import { capture } from './capture.ts';
import { typing } from './typing.ts';

const LINE = '203.0.113.9 - - [23/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "A"\n';

test.for([
  [[], 'no log file was named'],
  [['nowhere.log'], 'there is no file nowhere.log'],
  [['*.nothing'], 'there is no file *.nothing'],
  [['access.log', '--format', 'combind', '--site', 'https://e.example/'], 'did you mean combined?'],
  [['access.log', '--time-zone', 'Mars'], '--time-zone: a time zone is expected'],
  [['access.log', '--verify', 'no'], '--verify'],
  [['access.log', '--on-reject', 'drop'], '--on-reject: drop does not work'],
  [['access.log', '--site', 'e.example'], '--site: e.example is not an http or https URL'],
  [['access.log'], 'no website was crawled in this project folder'],
  [['other.txt', '--site', 'https://e.example/'], 'its format is none that is known; it begins: aaa aaa'],
  [['store_a:logs/', '--site', 'https://e.example/'], 'store_a.bucket'],
] as const)('a wrong use, %j, is refused in words', async ([argv, words]) => {
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

test('on a terminal a file whose days are far apart is added after a yes only', async () => {
  const folder = await rawProjectFolder();
  writeFileSync(join(folder, 'access.log'), SPREAD);
  const settings = await loadSettings(folder, {});
  const add = () => {
    const typist = typing();
    const said: string[] = [];
    const invocation: Partial<Invocation> = {
      ...{ positionals: ['access.log'], workingDirectory: folder, texts: () => [], has: () => false },
      text: (flag) => (flag === 'site' ? 'https://e.example/' : undefined),
      ...{ settings: async () => settings, logger: silentLogger, signal: new AbortController().signal },
      ...{ person: typist.person, terminal: null, progress: () => {}, say: (text) => void said.push(text) },
      print: async (text) => void said.push(text),
    };
    const ended = logsAdd.run(invocation as Invocation);
    return { ...typist, ended, said: () => said.join('') };
  };
  const declined = add();
  await declined.answer('Add it?', '');
  expect(await declined.ended).toBe(4);
  expect(declined.said()).toContain(
    'access.log: its lines are of 2 days far apart: look at 2025-11-23 10:00',
  );
  const agreed = add();
  await agreed.answer('Add it?', 'yes');
  expect(await agreed.ended).toBe(0);
  expect(agreed.said()).toMatch(/access.log +added/);
});

test('without a terminal it is added, and said', async () => {
  const folder = await rawProjectFolder();
  writeFileSync(join(folder, 'access.log'), SPREAD);
  const { code, stdout } = await capture(
    ...['logs', 'add', join(folder, 'access.log'), '--site', 'https://e.example/', '--project-dir', folder],
  );
  expect([code, stdout]).toEqual([0, expect.stringContaining('its lines are of 2 days far apart')]);
});
