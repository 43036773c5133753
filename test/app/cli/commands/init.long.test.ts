import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { commandEnvironment } from '../../../../src/etl/project/settings/command-environment.ts';
import { loadPipelines } from '../../../../src/etl/project/settings/pipelines.ts';
import { consent } from '../../../service/sandbox/oauth/consent.ts';
import { service } from '../../../service/support.ts';
import { freePort } from '../../../support/free-port.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { capture, spawned } from '../capture.ts';

async function tokenFile(folder: string, token: string): Promise<string> {
  const file = join(folder, 'token');
  await writeFile(file, `${token}\n`);
  return file;
}

test('init creates a project folder with valid files, and excludes secrets from version control', async () => {
  const folder = join(await temporaryFolder(), 'new', 'project');
  const { code, stderr } = await capture('init', folder);
  expect(code).toBe(0);
  expect(stderr).toContain(`${folder} is ready.\n`);
  expect(stderr).toMatch(/ crawl --project-dir \S+ https:\/\/www\.example\.com\/\n/);
  expect(stderr).toContain(`put CRAWLHOUSE_BASE_URL and CRAWLHOUSE_ACCESS_TOKEN in ${folder}/.env`);
  expect((await readdir(folder)).sort()).toEqual([
    '.env',
    '.env.example',
    '.gitignore',
    'crawlhouse.yaml',
    'pipelines',
    'schedules.yaml',
    'schemas',
    'sql',
  ]);
  expect((await stat(join(folder, '.env'))).mode & 0o777).toBe(0o600);
  expect((await loadPipelines(folder)).length).toBeGreaterThan(0);
  const example = (await readFile(join(folder, '.env.example'), 'utf8')).replaceAll(/^# (?=\w+=)/gm, '');
  expect(Object.keys(parseEnv(example))).toEqual(
    expect.arrayContaining([
      'CRAWLHOUSE_ACCESS_TOKEN',
      'CRAWLHOUSE_OAUTH_REFRESH_TOKEN',
      'CRAWLHOUSE_CONSOLE_OIDC_CLIENT_SECRET',
      'AWS_SECRET_ACCESS_KEY',
    ]),
  );
  // Every variable of the example is one that works.
  await writeFile(join(folder, '.env'), example);
  expect(await loadSettings(folder, {})).toMatchObject({ base_url: 'https://service.example' });
  const ignored = await readFile(join(folder, '.gitignore'), 'utf8');
  expect(ignored.split('\n')).toEqual(expect.arrayContaining(['.env', '.crawlhouse/']));
});

test('init reports why a folder cannot be created, and suggests another name', async () => {
  const file = join(await temporaryFolder(), 'file');
  await writeFile(file, '');
  const { code, stderr } = await capture('init', join(file, 'shop'));
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(`${file}/shop cannot be created: ${file} is a file`),
  ]);
  expect(stderr).toMatch(/Try: name another folder: .*crawlhouse init DIR\n/);
});

test('a ready file in a folder that cannot be created is refused before the sandbox starts', async () => {
  const file = join(await temporaryFolder(), 'file');
  await writeFile(file, '');
  const { code, stderr } = await capture('sandbox', 'start', '--ready-file', join(file, 'ready.json'));
  expect([code, stderr]).toEqual([2, expect.stringContaining(`${file} (--ready-file) cannot be created`)]);
});

test.for([
  ['all', 'all'],
  ['none', 'none'],
  [null, 'all'],
] as const)('init --shipped-models %s creates a project with shipped_models: %s', async ([flag, models]) => {
  const folder = join(await temporaryFolder(), 'project');
  const { code } = await capture('init', folder, ...(flag === null ? [] : ['--shipped-models', flag]));
  const settings = await readFile(join(folder, 'crawlhouse.yaml'), 'utf8');
  expect([code, /^shipped_models: .*$/m.exec(settings)?.[0]]).toEqual([
    0,
    models === 'all' ? undefined : 'shipped_models: none',
  ]);
  const account = {
    CRAWLHOUSE_BASE_URL: 'http://127.0.0.1:9',
    CRAWLHOUSE_ACCESS_TOKEN: 'token-of-init-test',
  };
  expect(await loadSettings(folder, account)).toMatchObject({ shipped_models: models });
});

test('init refuses other values of --shipped-models, and creates nothing', async () => {
  const folder = join(await temporaryFolder(), 'project');
  const { code, stderr } = await capture('init', folder, '--shipped-models', 'some');
  expect([code, stderr]).toEqual([2, expect.stringContaining('--shipped-models: some is not a valid value')]);
  expect(stderr).toContain('Try: values: all, none');
  expect(existsSync(folder)).toBe(false);
});

test('init with flags asks no questions, writes the account and runs doctor', async () => {
  const it = await service({ generate: ['projects=1,crawls=1,pages=1'] });
  const place = await temporaryFolder();
  const folder = join(place, 'acme');
  const file = await tokenFile(place, it.sandbox.accessToken);
  const { code, stdout, stderr } = await capture(
    'init',
    folder,
    '--base-url',
    it.sandbox.baseUrl,
    '--token-file',
    file,
  );
  expect(stdout).toMatch(/^ok {4}settings/);
  expect(stdout).toMatch(/^ok {4}token/m);
  expect(stderr).toMatch(/\nNext:\n {2}.* run --project-dir \S+\n$/);
  expect(code).toBe(0);
  expect(parseEnv(await readFile(join(folder, '.env'), 'utf8'))).toEqual({
    CRAWLHOUSE_BASE_URL: it.sandbox.baseUrl,
    CRAWLHOUSE_ACCESS_TOKEN: it.sandbox.accessToken,
  });
  expect((await stat(join(folder, '.env'))).mode & 0o777).toBe(0o600);
});

test('an account that the service refuses is written, reported by doctor, and sets the exit code', async () => {
  const it = await service();
  const place = await temporaryFolder();
  const file = await tokenFile(place, `hash#and"quote'`);
  const folder = join(place, 'acme');
  const outcome = await capture(
    'init',
    folder,
    '--json',
    '--base-url',
    it.sandbox.baseUrl,
    '--token-file',
    file,
  );
  expect([outcome.code, JSON.parse(outcome.stdout)]).toEqual([
    5,
    { folder, doctor: expect.objectContaining({ status: 'fail' }) },
  ]);
  expect((await loadSettings(folder, {})).access_token).toBe(`hash#and"quote'`);
  const flags = ['--base-url', `${it.sandbox.baseUrl}/elsewhere`, '--token-file', file];
  const { stdout, stderr } = await capture('init', join(place, 'other'), ...flags);
  expect(stderr).toContain('is created but not ready');
  expect(stderr).not.toContain('is ready');
  expect(stdout).toMatch(
    /^fail {2}service .*\n {6}Try: check base_url \(CRAWLHOUSE_BASE_URL, usually in \.env\)/m,
  );
  expect(stderr).toContain(`the account is in ${join(place, 'other', '.env')}`);
});

test('a sign-in with flags opens the browser, and doctor uses its grant', async () => {
  const it = await service({ generate: ['projects=1,crawls=1,pages=1'] });
  const place = await temporaryFolder();
  const { client_id, client_secret } = it.sandbox.ready.oauth;
  const secret = await tokenFile(place, client_secret);
  const folder = join(place, 'acme');
  const port = String(await freePort());
  const flags = ['--base-url', it.sandbox.baseUrl, '--client-id', client_id, '--client-secret-file', secret];
  const { code, stdout } = await spawned(['init', folder, ...flags, '--redirect-port', port], (child) => {
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const url = /go to:\n {2}(\S+)\n/.exec(said)?.[1];
      if (url === undefined) return;
      said = '';
      void consent(it, Object.fromEntries(new URL(url).searchParams)).then(({ href }) => fetch(href));
    });
  });
  expect(stdout).toMatch(/^ok {4}token/m);
  expect(code).toBe(0);
  expect(Object.keys(parseEnv(await readFile(join(folder, '.env'), 'utf8')))).toEqual([
    'CRAWLHOUSE_BASE_URL',
    'CRAWLHOUSE_OAUTH_CLIENT_ID',
    'CRAWLHOUSE_OAUTH_CLIENT_SECRET',
    'CRAWLHOUSE_OAUTH_REFRESH_TOKEN',
  ]);
});

test.for([
  [['--token-file', 'x'], '--token-file needs --base-url'],
  [['--base-url', 'https://service.example'], '--base-url needs --token-file'],
  [['--base-url', 'https://service.example', '--token-file', 'none'], '--token-file: none cannot be read'],
  [['--redirect-port', '0'], '--redirect-port: 0 is not a valid value'],
] as const)('init %j is a usage error that writes nothing', async ([flags, message]) => {
  const folder = join(await temporaryFolder(), 'acme');
  const { code, stderr } = await capture('init', folder, ...flags);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`Error: ${message}`)]);
  expect(existsSync(folder)).toBe(false);
});

test('init leaves an existing project, or a part of one, unchanged', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'crawlhouse.yaml'), 'since: all\n');
  const { code, stderr } = await capture('init', folder);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(`Error: ${folder} already has crawlhouse.yaml\nTry: `),
  ]);
  expect(existsSync(join(folder, 'schedules.yaml'))).toBe(false);
});

test('init overwrites no file, and lists the missing entries of .gitignore', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, '.gitignore'), 'node_modules/\n.env\n');
  await writeFile(join(folder, '.env'), 'AWS_PROFILE=mine\n');
  await writeFile(join(folder, 'package.json'), '{}');
  const { code, stderr } = await capture('init', folder);
  expect(code).toBe(0);
  expect(stderr).toContain('These files already existed and are unchanged: .gitignore, .env\n');
  expect(stderr).toContain('Add to .gitignore: .crawlhouse/ *.duckdb *.duckdb.wal\n');
  expect(await readFile(join(folder, '.env'), 'utf8')).toBe('AWS_PROFILE=mine\n');
  expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe('node_modules/\n.env\n');
  const other = await temporaryFolder();
  await writeFile(join(other, '.env'), '');
  const flags = ['--base-url', 'https://service.example', '--token-file', join(folder, '.env')];
  expect((await capture('init', other, ...flags)).stderr).toContain(
    'already exists and may have another account',
  );
  expect(commandEnvironment()).not.toHaveProperty('AWS_PROFILE');
});

test('without a name the working directory becomes the project', async () => {
  const folder = await temporaryFolder();
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  onTestFinished(() => void vi.restoreAllMocks());
  expect((await capture('init')).code).toBe(0);
  expect(existsSync(join(folder, 'schedules.yaml'))).toBe(true);
});
