import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockState } from '../../../src/core/locks/state-lock.ts';
import { capture, projectFolder } from './capture.ts';

const PLACE = 'base_url: http://127.0.0.1:9\naccess_token: token-of-usage-test\n';

test.for([
  [['rnu'], 'there is no command rnu', 'Try: did you mean run? commands: init, crawl'],
  [['sandbox'], 'there is no command sandbox', 'Try: did you mean sandbox start? commands: sandbox start'],
  [['sandbox', 'strat'], 'there is no command sandbox strat', 'Try: did you mean sandbox start?'],
  [['help', 'rnu'], 'there is no command rnu', 'Try: did you mean run?'],
  [['zzzzzz'], 'there is no command zzzzzz', 'Try: commands: init'],
  [
    ['run', '--fromat', 'csv'],
    "Unknown option '--fromat'",
    'Try: did you mean --format? flags of npx crawlhouse run: --json',
  ],
  [['status', 'a', 'b'], 'unexpected argument b', 'Try: npx crawlhouse status [RUN|UNIT|CRAWL|PROJECT]'],
  [['run', '--json=maybe'], "Option '--json' does not take an argument", 'Try: flags of npx crawlhouse run'],
  [['run', '--project'], "Option '--project <value>' argument missing", 'Try: flags of npx crawlhouse run'],
  [['pages', '--limit', '3', '--limit=4'], '--limit is given twice', 'Try: flags of npx crawlhouse pages'],
  ...['-1', '0', '1e9', '99999999999', '1.5', 'abc', ''].map(
    (limit) =>
      [
        ['pages', `--limit=${limit}`],
        `--limit: ${limit} is not a valid value`,
        'write a number from 1 to 9999999',
      ] as const,
  ),
  [
    ['sandbox', 'start', '--port', 'x'],
    '--port: x is not a valid value',
    'Try: write a number from 0 to 65535',
  ],
] as const)('%j is a usage error that shows valid values', async ([argv, error, hint]) => {
  const { code, stdout, stderr } = await capture(...argv);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`Error: ${error}`);
  expect(stderr).toContain(hint);
  expect(stderr).not.toMatch(/\n\s+at /);
});

test.for([
  [
    ['run', 'crawl_page'],
    'there is no pipeline crawl_page',
    'did you mean crawl_pages? pipelines of this project: crawl_pages',
  ],
  [['run', '--route', 'teleport'], '--route: teleport is not a valid value', 'values: auto, stream'],
  [['run', '--format', 'xml'], '--format: xml is not a valid value', 'values: auto, csv'],
  [
    ['run', '--route', 'export'],
    'crawl_pages: no store is configured',
    'set store_a.bucket or store_b.bucket',
  ],
  [['backfill', '--to', '2026-01-01'], '--from is missing', 'crawlhouse backfill --from'],
  [
    ['backfill', '--from', '2026-02-30', '--to', '2026-03-01'],
    '--from: 2026-02-30 is not a date',
    '2026-01-31',
  ],
  [['backfill', '--from', '1.1.2026', '--to', '2026-03-01'], '--from: 1.1.2026 is not a date', '2026-01-31'],
  [
    ['backfill', '--from', '2026-03-01', '--to', '2026-02-01'],
    '--from 2026-03-01 is not before --to 2026-02-01',
    'crawlhouse backfill --from 2026-02-01 --to 2026-03-01',
  ],
  [
    ['backfill', '--from', '2026-02-28', '--to', '2026-02-28', '--plan'],
    '--from 2026-02-28 is not before --to 2026-02-28',
    'crawlhouse backfill --from 2026-02-28 --to 2026-03-01',
  ],
  [
    ['query', 'SELECT 1', 'SELECT 2'],
    'one SQL text, file or question at a time',
    'Try: npx crawlhouse help query',
  ],
  [
    ['query', 'SELECT 1', '--format', 'xml'],
    '--format: xml is not a valid value',
    'Try: values: table, record, csv',
  ],
  [['query', 'SELECT 1'], 'there is no warehouse at ', 'crawlhouse run publishes one'],
  [['query', '--file', 'none.sql'], '--file: none.sql cannot be read', 'Try: ENOENT: no such file'],
  [['test'], 'there is no warehouse at ', 'crawlhouse run publishes one'],
  [['load'], 'no package named', 'a folder with manifest.json'],
  [['load', '/nowhere'], '/nowhere has no manifest.json', 'is incomplete'],
] as const)('%j is a usage error before any work', async ([argv, error, hint]) => {
  const { code, stdout, stderr } = await capture(...argv, '--project-dir', await projectFolder(PLACE));
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`Error: ${error}`);
  expect(stderr).toContain(hint);
});

test('a broken question of the project is named with file and line, before any test runs', async () => {
  const folder = await projectFolder(PLACE);
  await mkdir(join(folder, 'sql', 'questions'));
  await writeFile(
    join(folder, 'sql', 'questions', 'mine.sql'),
    '/*\ntitle: Mine\nmodel: mart.none\ndescription: Mine.\n*/\nSELECT 1 FROM WHERE\n',
  );
  for (const command of ['test', 'run', 'doctor']) {
    const { code, stdout, stderr } = await capture(command, '--project-dir', folder);
    expect([command, code, stdout + stderr]).toEqual([
      command,
      2,
      expect.stringContaining('sql/questions/mine.sql:6: '),
    ]);
  }
});

test('a command outside of a project folder shows how to enter one', async () => {
  const { code, stderr } = await capture('status', '--project-dir', '/');
  expect(code).toBe(2);
  expect(stderr).toContain(
    'Error: / is not a project folder: it has no schedules.yaml\nTry: npx crawlhouse init',
  );
});

test('run --reload without a crawl is a usage error, because it would reload everything', async () => {
  const { code, stderr } = await capture('run', '--reload', '--project-dir', await projectFolder());
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/--reload needs --crawl\nTry: .* run .*--crawl ID --reload/),
  ]);
});

test('a missing or invalid setting is a usage error that names it', async () => {
  const missing = await capture('run', '--project-dir', await projectFolder());
  expect([missing.code, missing.stderr]).toEqual([
    2,
    expect.stringContaining('the setting base_url is missing'),
  ]);
  const wrong = await capture('run', '--project-dir', await projectFolder('thread: 2\n'));
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('crawlhouse.yaml:1: unknown key thread'),
  ]);
});

test('a stack trace is shown only with --debug', async () => {
  const folder = await projectFolder('thread: 2\n');
  const { stderr } = await capture('run', '--debug', '--project-dir', folder);
  expect(stderr).toMatch(/\n\s+at .*\.ts:\d+/);
});

test('status and query --question need neither the service nor a warehouse', async () => {
  const folder = await projectFolder();
  const status = await capture('status', '--json', '--project-dir', folder);
  expect([status.code, JSON.parse(status.stdout)]).toEqual([
    0,
    {
      incidents: [],
      discovery: { open: [], swept_at: null },
      drift: [],
      units: [],
      exports: [],
      runs: [],
      live: null,
      claims: [],
      freshness: [],
      disk: expect.objectContaining({ warehouse: 0, working_copy: 0 }),
      schedules: [],
    },
  ]);
  const questions = await capture('query', '--question', '--json', '--project-dir', folder);
  expect([questions.code, questions.stdout]).toEqual([0, '[]\n']);
});

test('a state directory held by another process ends the command with 6, and names the holder', async () => {
  const folder = await projectFolder(PLACE);
  using _lock = lockState(join(folder, '.crawlhouse'), 'crawlhouse run');
  const { code, stderr } = await capture('run', '--project-dir', folder);
  expect(code).toBe(6);
  expect(stderr).toContain(`is in use by crawlhouse run (process ${process.pid} on `);
  expect(stderr).toContain('Try: wait until it ends');
});

test('an invalid pipeline file is a usage error', async () => {
  const folder = await projectFolder(PLACE);
  await writeFile(join(folder, 'pipelines', 'x.yaml'), 'dataset: x\n');
  const { code, stderr } = await capture('run', '--project-dir', folder);
  expect([code, stderr]).toEqual([2, expect.stringContaining('pipelines/x.yaml:1: ')]);
});

test
  .skipIf(process.platform !== 'linux')
  .for([
    ['run'],
    ['status'],
    ['query', 'SELECT 1'],
    ['doctor'],
    ['crawl', 'http://127.0.0.1:9/'],
    ['console'],
  ])(
  '%j ends with 2 if the state directory cannot be created, and names it and its setting',
  async (argv) => {
    const folder = await projectFolder(`${PLACE}state_dir: /proc/nope`);
    const { code, stdout, stderr } = await capture(...argv, '--project-dir', folder);
    expect(code).toBe(2);
    expect(stdout + stderr).toContain(
      'the folder /proc/nope (state_dir) cannot be created: /proc accepts no folders',
    );
    expect(stdout + stderr).toContain('set state_dir (CRAWLHOUSE_STATE_DIR) to another folder');
  },
);

test('sandbox start names --state if its folder cannot be created', async () => {
  const folder = await projectFolder();
  const { code, stderr } = await capture(
    'sandbox',
    'start',
    '--state',
    join(folder, 'crawlhouse.yaml', 'state'),
  );
  expect(code).toBe(2);
  expect(stderr).toContain(`(--state) cannot be created: ${join(folder, 'crawlhouse.yaml')} is a file`);
});
