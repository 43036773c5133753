import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectFolder } from '../../support/project.ts';
import { capture } from './capture.ts';

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
