import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { redact } from '../../../src/core/secrets/redact.ts';
import { type Settings, serviceSettings } from '../../../src/etl/project/settings/settings.ts';
import { temporaryFolder } from '../../support/temporary.ts';

interface Sources {
  readonly file?: string;
  readonly env?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

async function load({ file, env, variables = {} }: Sources): Promise<Settings> {
  const folder = await temporaryFolder();
  if (file !== undefined) await writeFile(join(folder, 'crawlhouse.yaml'), file);
  if (env !== undefined) await writeFile(join(folder, '.env'), env);
  return loadSettings(folder, variables);
}

/** How crawlhouse.yaml refers to a variable. */
const reference = (name: string): string => `\${${name}}`;

function refused(sources: Sources) {
  return expect(load(sources)).rejects;
}

test('without any source, the defaults apply, with absolute paths', async () => {
  const folder = await temporaryFolder();
  const settings = await loadSettings(folder, { HOME: '/', PATH: '/bin' });
  expect(settings).toMatchObject({
    workspaces: 'all',
    projects: 'all',
    since: 'all',
    memory_limit: '400MB',
    concurrency: 2,
    compression: 'auto',
    keep_raw: 'never',
    on_reject: 'fail',
    schema_change: 'variant',
    warehouse: join(folder, 'warehouse.duckdb'),
    state_dir: join(folder, '.crawlhouse'),
    projectDir: folder,
  });
  expect(settings.threads).toBeGreaterThan(0);
});

test('the environment overrides .env, .env the file, and the file the defaults', async () => {
  const file = 'memory_limit: 1GB\nconcurrency: 3\nsince: 2026-01-01\n';
  const env = 'CRAWLHOUSE_CONCURRENCY=4\nCRAWLHOUSE_SINCE=2026-02-02\n';
  const settings = await load({ file, env, variables: { CRAWLHOUSE_SINCE: '2026-03-03' } });
  expect([settings.memory_limit, settings.concurrency, settings.since]).toEqual(['1GB', 4, '2026-03-03']);
  expect(settings.compression).toBe('auto');
});

test('issues are configured for all projects or one, and an error shows its line', async () => {
  const file =
    'issues:\n  thin: {words: 200}\n  projects:\n    Shop: {slow: false, thin: {severity: high}}\n';
  expect((await load({ file })).issues).toEqual({
    thin: { words: 200 },
    projects: { Shop: { slow: false, thin: { severity: 'high' } } },
  });
  await refused({ file: file.replace('high', 'huge') }).toThrow(
    'crawlhouse.yaml:4: issues.projects.Shop.thin.severity: ',
  );
  await refused({ file: file.replace('200', 'many') }).toThrow('crawlhouse.yaml:2: issues.thin.words: ');
  await refused({ file: file.replace('false', 'off') }).toThrow(
    'issues.projects.Shop.slow: true, false, or thresholds and a severity are expected',
  );
});

test('an empty variable counts as unset', async () => {
  const settings = await load({ file: 'concurrency: 3\n', variables: { CRAWLHOUSE_CONCURRENCY: '' } });
  expect(settings.concurrency).toBe(3);
});

test('lists, numbers and keep_raw can be set in the environment', async () => {
  const settings = await load({
    variables: {
      CRAWLHOUSE_PROJECTS: 'one, two',
      CRAWLHOUSE_WORKSPACES: 'all',
      CRAWLHOUSE_REQUESTS_PER_SECOND: '2.5',
      CRAWLHOUSE_KEEP_RAW_DAYS: '7',
      CRAWLHOUSE_WAREHOUSE: '/data/w.duckdb',
    },
  });
  expect(settings).toMatchObject({
    projects: ['one', 'two'],
    workspaces: 'all',
    requests_per_second: 2.5,
    keep_raw: { days: 7 },
    warehouse: '/data/w.duckdb',
  });
});

test.for([
  ['never', 'never'],
  ['until_published', 'until_published'],
  ['{ days: 3 }', { days: 3 }],
] as const)('keep_raw may be %s', async ([text, value]) => {
  expect((await load({ file: `keep_raw: ${text}\n` })).keep_raw).toEqual(value);
});

test.for([
  ['always', 'keep_raw: never, until_published or {days: N} is expected'],
  ['3', 'keep_raw: never, until_published or {days: N} is expected'],
  ['{ days: 0 }', 'keep_raw.days: '],
  ['{}', 'keep_raw: never, until_published or {days: N} is expected'],
  ['{ days: 1, hours: 2 }', 'unknown key keep_raw.hours'],
] as const)('keep_raw may not be %s', async ([text, problem]) => {
  await refused({ file: `\nkeep_raw: ${text}\n` }).toMatchObject({
    code: 'bad_settings',
    message: expect.stringContaining(`crawlhouse.yaml:2: ${problem}`),
  });
});

test('an unknown key is reported with its line and the valid keys', async () => {
  await refused({ file: 'since: all\n\nwarehose: x.duckdb\n' }).toMatchObject({
    code: 'bad_settings',
    message: 'crawlhouse.yaml:3: unknown key warehose',
    hint: expect.stringMatching(/^did you mean warehouse\? allowed keys: base_url, .*\bwarehouse\b/),
  });
});

test.for(['constructor', '__proto__', 'toString'])('%s is an unknown key like any other', async (key) => {
  await refused({ file: `since: all\n${key}: 1\n` }).toMatchObject({
    code: 'bad_settings',
    message: `crawlhouse.yaml:2: unknown key ${key}`,
  });
});

test.for(['- since: all\n', 'since\n', '# none\n- 1\n'])('%j is not a valid settings file', async (file) => {
  await refused({ file }).toMatchObject({
    code: 'bad_settings',
    message: `crawlhouse.yaml:${file.startsWith('#') ? 2 : 1}: expected keys with values, such as key: value`,
  });
});

test('an unknown CRAWLHOUSE_ variable is reported with the valid ones', async () => {
  await refused({ variables: { CRAWLHOUSE_WAREHOSE: 'x' } }).toMatchObject({
    code: 'bad_settings',
    message: 'unknown variable CRAWLHOUSE_WAREHOSE',
    hint: expect.stringMatching(/^did you mean CRAWLHOUSE_WAREHOUSE\? known variables: /),
  });
  await refused({ env: 'CRAWLHOUSE_PROJCETS=x' }).toMatchObject({
    hint: expect.stringMatching(/^did you mean CRAWLHOUSE_PROJECTS\? /),
  });
  await refused({ variables: { CRAWLHOUSE_CONSTRUCTOR: 'x' } }).toMatchObject({ code: 'bad_settings' });
  await refused({ env: 'CRAWLHOUSE_TOKEN=x' }).toMatchObject({
    message: 'unknown variable CRAWLHOUSE_TOKEN',
  });
  await refused({ variables: { [`CRAWLHOUSE_${'A'.repeat(30_000)}`]: 'x' } }).toMatchObject({
    message: `unknown variable CRAWLHOUSE_${'A'.repeat(89)}…`,
  });
});

test('a variable in the file is replaced, also from .env; an unset one is an error with file, line and key', async () => {
  const file = `since: all\nbase_url: https://${reference('HOST')}/${reference('PATH_')}\n`;
  const settings = await load({ file, env: 'PATH_=deep', variables: { HOST: 'service.example' } });
  expect(settings.base_url).toBe('https://service.example/deep');
  await refused({ file }).toMatchObject({
    code: 'bad_settings',
    message: 'crawlhouse.yaml:2: base_url: the variable HOST is not set',
    hint: 'set it in the environment or in .env',
  });
  // A name that is set and near is told: from the environment and from .env.
  await refused({ file, variables: { HOTS: 'service.example' } }).toMatchObject({
    hint: expect.stringMatching(/^did you mean HOTS\? set it in /),
  });
  await refused({ file, env: 'PTAH_=deep', variables: { HOST: 'service.example' } }).toMatchObject({
    message: 'crawlhouse.yaml:2: base_url: the variable PATH_ is not set',
    hint: expect.stringMatching(/^did you mean PTAH_\? /),
  });
});

test.for([
  ['concurrency: 0', /^crawlhouse\.yaml:1: concurrency: /],
  ['concurrency: many', /^crawlhouse\.yaml:1: concurrency: /],
  ['since: yesterday', /^crawlhouse\.yaml:1: since: all or a date/],
  ['since: 2026-02-30', /^crawlhouse\.yaml:1: since: all or a date/],
  ['memory_limit: plenty', /^crawlhouse\.yaml:1: memory_limit: a size is expected, such as 400MB/],
  ['base_url: service.example', /^crawlhouse\.yaml:1: base_url: an address is expected/],
  ['compression: zip', /^crawlhouse\.yaml:1: compression: .*allowed values: auto, gzip, none/],
  ['on_reject: ignore', /^crawlhouse\.yaml:1: on_reject: .*allowed values: fail, quarantine/],
  ['projects: []', /^crawlhouse\.yaml:1: projects: /],
] as const)('%s is an invalid value', async ([file, message]) => {
  await refused({ file }).toMatchObject({ code: 'bad_settings', message: expect.stringMatching(message) });
});

test('an invalid variable is named', async () => {
  for (const [name, value] of [
    ['CRAWLHOUSE_THREADS', 'two'],
    ['CRAWLHOUSE_SINCE', 'x'],
    ['CRAWLHOUSE_KEEP_RAW_DAYS', '0'],
  ] as const) {
    await refused({ variables: { [name]: value } }).toMatchObject({
      code: 'bad_settings',
      message: expect.stringMatching(`^${name}: .`),
    });
  }
});

test('invalid YAML and duplicate keys are reported with their line', async () => {
  await refused({ file: 'since: all\nprojects: [a\n' }).toMatchObject({
    code: 'bad_settings',
    message: expect.stringMatching(/^crawlhouse\.yaml:[23]: ./),
  });
  await refused({ file: 'since: all\nsince: all\n' }).toMatchObject({
    message: expect.stringMatching(/^crawlhouse\.yaml:2: .*unique/),
  });
});

test('all invalid keys are reported together', async () => {
  const file = 'concurrency: 0\nthreads: 0\n';
  await refused({ file }).toThrow('crawlhouse.yaml:1: concurrency: ');
  await refused({ file }).toThrow('crawlhouse.yaml:2: threads: ');
});

test('commands that call the service need address and token', async () => {
  const settings = await load({ file: 'base_url: https://service.example//\n' });
  expect(() => serviceSettings(settings)).toThrow(
    expect.objectContaining({
      code: 'bad_settings',
      message: 'the setting access_token is missing',
      hint: expect.stringContaining('CRAWLHOUSE_ACCESS_TOKEN'),
    }),
  );
  const complete = await load({
    file: 'base_url: https://service.example//\n',
    variables: { CRAWLHOUSE_ACCESS_TOKEN: 'token-from-env' },
  });
  expect(serviceSettings(complete)).toEqual({
    baseUrl: 'https://service.example',
    accessToken: 'token-from-env',
  });
});

test('the token is masked as soon as it is known', async () => {
  await load({ file: 'access_token: token-to-be-masked\n' });
  expect(redact('Bearer token-to-be-masked')).toBe('Bearer [redacted]');
});

test('a reference to an unset variable is allowed if the environment overrides the setting', async () => {
  const file = `base_url: ${reference('CRAWL_SERVICE_URL')}\n`;
  const settings = await load({ file, variables: { CRAWLHOUSE_BASE_URL: 'https://service.example' } });
  expect(settings.base_url).toBe('https://service.example');
});

test('stores need a bucket, S3 also a region, and prefixes lose slashes at both ends', async () => {
  const file = [
    'store_a: { bucket: exports, prefix: /crawls/of 2026/ }',
    'store_b:',
    '  bucket: other',
    '  region: eu-west-1',
    '  endpoint: http://127.0.0.1:7070',
    '  credentials_secret: warehouse',
  ].join('\n');
  const settings = await load({ file });
  expect(settings.store_a).toEqual({ bucket: 'exports', prefix: 'crawls/of 2026' });
  expect(settings.store_b).toEqual({
    bucket: 'other',
    prefix: '',
    region: 'eu-west-1',
    endpoint: 'http://127.0.0.1:7070',
    credentials_secret: 'warehouse',
  });
  const none = await load({});
  expect([none.store_a, none.store_b]).toEqual([undefined, undefined]);
});

test.for([
  ['store_a: {}', 'crawlhouse.yaml:1: store_a.bucket: a text is expected'],
  ['store_b: { bucket: b }', 'crawlhouse.yaml:1: store_b.region: a text is expected'],
  [
    'store_a: { bucket: b, endpoint: localhost }',
    'crawlhouse.yaml:1: store_a.endpoint: an address is expected',
  ],
  ['store_a:\n  bucket: b\n  region: r', 'crawlhouse.yaml:3: unknown key store_a.region'],
  ['store_b: warehouse', 'crawlhouse.yaml:1: store_b: '],
] as const)('a store may not be %j', async ([file, message]) => {
  await refused({ file }).toMatchObject({ code: 'bad_settings', message: expect.stringContaining(message) });
});

test('each part of a store has a variable that overrides only that part', async () => {
  const file = `store_b:\n  bucket: ${reference('BUCKET')}\n  region: eu-west-1\n  prefix: exports\n`;
  const settings = await load({
    file,
    env: 'CRAWLHOUSE_STORE_B_CREDENTIALS_SECRET=warehouse\n',
    variables: { CRAWLHOUSE_STORE_B_BUCKET: 'mine', CRAWLHOUSE_STORE_A_BUCKET: 'other' },
  });
  expect(settings.store_b).toEqual({
    bucket: 'mine',
    region: 'eu-west-1',
    prefix: 'exports',
    credentials_secret: 'warehouse',
  });
  expect(settings.store_a).toEqual({ bucket: 'other', prefix: '' });
});

test('an unknown store variable is reported with the valid ones', async () => {
  await refused({ variables: { CRAWLHOUSE_STORE_A_REGION: 'x' } }).toMatchObject({
    message: 'unknown variable CRAWLHOUSE_STORE_A_REGION',
    hint: expect.stringContaining('CRAWLHOUSE_STORE_A_BUCKET'),
  });
  await refused({ variables: { CRAWLHOUSE_STORE_A: 'x' } }).toMatchObject({
    message: 'unknown variable CRAWLHOUSE_STORE_A',
  });
  await refused({ variables: { CRAWLHOUSE_STORE_B_ENDPOINT: 'localhost' } }).toMatchObject({
    message: 'CRAWLHOUSE_STORE_B_ENDPOINT: an address is expected',
  });
});

test('an OAuth2 application combines file and environment, and its secrets are masked', async () => {
  const file = [
    'base_url: https://service.example',
    'oauth:',
    '  client_id: the-client',
    '  client_secret: secret-in-the-file',
    `  refresh_token: ${reference('NOT_SET')}`,
    '',
  ].join('\n');
  const variables = { CRAWLHOUSE_OAUTH_REFRESH_TOKEN: 'refresh-in-the-environment' };
  const settings = await load({ file, variables });
  const oauth = {
    client_id: 'the-client',
    client_secret: 'secret-in-the-file',
    refresh_token: 'refresh-in-the-environment',
  };
  expect(serviceSettings(settings)).toEqual({ baseUrl: 'https://service.example', oauth });
  expect(redact(`${oauth.client_secret} ${oauth.refresh_token}`)).toBe('[redacted] [redacted]');
  const both = await load({ file, variables: { ...variables, CRAWLHOUSE_ACCESS_TOKEN: 'some-token' } });
  expect(serviceSettings(both)).toEqual({ baseUrl: 'https://service.example', accessToken: 'some-token' });
});

test('an OAuth2 application needs all its parts, and no others', async () => {
  await refused({ file: 'oauth:\n  client_id: a\n  client_secret: b\n' }).toThrow('refresh_token');
  await refused({ variables: { CRAWLHOUSE_OAUTH_CLIENT: 'a' } }).toMatchObject({
    message: 'unknown variable CRAWLHOUSE_OAUTH_CLIENT',
    hint: expect.stringContaining('CRAWLHOUSE_OAUTH_CLIENT_ID'),
  });
});

test('schedule settings are parsed, and the webhook secret is masked', async () => {
  const settings = await load({
    file: 'schedule_listen: 127.0.0.1:8090\n',
    variables: { CRAWLHOUSE_SCHEDULE_GRACE: '2.5', CRAWLHOUSE_WEBHOOK_SECRET: 'secret-of-webhooks' },
  });
  expect(settings).toMatchObject({ schedule_listen: '127.0.0.1:8090', schedule_grace: 2.5 });
  expect(redact('x secret-of-webhooks x')).toBe('x [redacted] x');
  expect((await load({})).schedule_grace).toBe(60);
  await refused({ file: 'schedule_listen: 8090x\n' }).toMatchObject({
    message: expect.stringContaining('crawlhouse.yaml:1: schedule_listen: '),
  });
});

test('alert settings are parsed from file and environment, and the webhook is masked', async () => {
  const settings = await load({
    file: 'alerts:\n  format: slack\n  timeout: 5\n',
    variables: {
      CRAWLHOUSE_ALERTS_WEBHOOK: 'https://hooks.example/T0/secret-path',
      CRAWLHOUSE_ALERTS_COMMAND: 'page, --night',
      CRAWLHOUSE_ALERTS_TIMEOUT: '2.5',
      CRAWLHOUSE_ALERTS_EVENTS: 'failure,stale',
    },
  });
  expect(settings.alerts).toEqual({
    webhook: 'https://hooks.example/T0/secret-path',
    format: 'slack',
    command: ['page', '--night'],
    timeout: 2.5,
    events: ['failure', 'stale'],
  });
  expect(redact('to https://hooks.example/T0/secret-path')).toBe('to [redacted]');
  expect((await load({})).alerts).toEqual({
    format: 'json',
    timeout: 30,
    events: ['failure', 'recovery', 'stale', 'volume', 'schema', 'change'],
  });
  await refused({ file: 'alerts:\n  wehook: x\n' }).toMatchObject({
    message: 'crawlhouse.yaml:2: unknown key alerts.wehook',
    hint: 'did you mean webhook? allowed keys: webhook, format, command, timeout, events',
  });
  await refused({ variables: { CRAWLHOUSE_ALERTS_EVENTS: 'late' } }).toMatchObject({
    message: expect.stringMatching(/^CRAWLHOUSE_ALERTS_EVENTS: ./),
  });
});

test('every secret in the settings is masked, also in invalid settings', async () => {
  const folder = await temporaryFolder();
  await writeFile(
    join(folder, 'crawlhouse.yaml'),
    [
      'base_url: https://planted-user:planted%2Fword@service.example',
      'access_token: planted-token',
      'oauth: { client_id: app, client_secret: planted-client, refresh_token: planted-refresh }',
      'webhook_secret: planted-webhook',
      'store_b: { bucket: b, region: r, credentials_secret: plain-name, endpoint: "https://:planted-store@s3.example" }',
      'alerts: { webhook: "https://hooks.example/services/planted-path" }',
      'threads: none',
    ].join('\n'),
  );
  await expect(
    loadSettings(folder, { AWS_SECRET_ACCESS_KEY: 'planted-aws', AWS_SESSION_TOKEN: 'planted-session' }),
  ).rejects.toMatchObject({ code: 'bad_settings' });
  const planted = ['planted/word', 'planted%2Fword', 'planted-token', 'planted-client', 'planted-refresh'];
  planted.push(
    'planted-webhook',
    'planted-store',
    '/services/planted-path',
    'planted-aws',
    'planted-session',
  );
  for (const secret of planted) expect(redact(`x ${secret} y`)).toBe('x [redacted] y');
  expect(redact('plain-name of app at service.example')).toBe('plain-name of app at service.example');
});
