import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMAND_NAMES } from '../../../src/app/cli/command-names.ts';
import { rawProjectFolder, sandboxFor, setFaults } from '../../support/project.ts';
import { capture, projectFolder } from './capture.ts';

const ERROR = {
  code: expect.any(String),
  message: expect.any(String),
  hint: expect.toSatisfy((hint: unknown) => hint === null || typeof hint === 'string'),
  file: expect.toSatisfy((file: unknown) => file === null || typeof file === 'string'),
  line: expect.toSatisfy((line: unknown) => line === null || typeof line === 'number'),
};

test.for(COMMAND_NAMES)('with --json, a usage error of %s is one document', async (name) => {
  const { code, stdout } = await capture(...name.split(' '), '--json', '--no-such-flag');
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toStrictEqual({ error: { ...ERROR, code: 'usage' } });
});

/** What makes a command fail that no broken setting does. */
const OWN_FAILURE: Readonly<Record<string, readonly string[]>> = {
  init: ['one', 'two'],
  'sandbox start': ['--port', 'none'],
  completion: ['csh'],
};
/** What a command needs before it looks at the settings. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  crawl: ['https://www.example.com/'],
  backfill: ['--from', '2026-01-01', '--to', '2026-01-02'],
  load: ['package'],
  backup: ['copy.duckdb'],
  'logs add': ['access.log'],
  'logs remove': ['access.log'],
  'logs bots update': ['gptbot.json'],
  'demand add': ['pages.csv'],
  'demand remove': ['pages.csv'],
  drop: ['--crawl', 'c'],
  query: ['SELECT 1'],
  prove: ['SELECT 1'],
  url: ['https://www.example.com/'],
  compare: ['previous', 'latest'],
  rehearse: ['--robots', 'robots.txt'],
};

test.for(COMMAND_NAMES)('with --json, a failure of %s is in its single document', async (name) => {
  const folder = await projectFolder();
  await writeFile(join(folder, 'crawlhouse.yaml'), 'base_ur: x\n');
  const own = OWN_FAILURE[name];
  const words = own ?? [...(NEEDED[name] ?? []), '--project-dir', folder];
  const { code, stdout } = await capture(...name.split(' '), ...words, '--json');
  expect(code).toBe(2);
  const { error } = JSON.parse(stdout);
  expect(error).toStrictEqual(ERROR);
  if (own === undefined)
    expect(error).toMatchObject({ code: 'bad_settings', file: 'crawlhouse.yaml', line: 1 });
});

test('with --json, a run contains the error that decides its exit code, or null after a success', async () => {
  const sandbox = await sandboxFor({ generate: ['crawls=1,pages=5,links=5,columns=8,seed=3'] });
  const folder = await rawProjectFolder();
  const yaml = `base_url: ${sandbox.baseUrl}\naccess_token: ${sandbox.accessToken}\nshipped_models: none\n`;
  await writeFile(join(folder, 'crawlhouse.yaml'), yaml);
  const run = async () => {
    const { code, stdout } = await capture('run', 'crawl_pages', '--json', '--project-dir', folder);
    return { code, document: JSON.parse(stdout) };
  };
  await setFaults(sandbox, [{ match: { path: 'export=true' }, kind: 'status', status: 400, times: 1 }]);
  const failed = await run();
  expect([failed.code, failed.document.status]).toEqual([4, 'refused']);
  expect(failed.document.error).toStrictEqual({ ...ERROR, code: 'invalid_request' });
  expect((await run()).document.error).toBeNull();
});
