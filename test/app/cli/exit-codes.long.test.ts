import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sendJson, type TestService, testService } from '../../client/test-service.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { until } from '../../support/until.ts';
import { capture, MAIN, type Outcome, projectFolder, spawned } from './capture.ts';

const TOKEN = 'token-that-must-not-show';

async function project(service: { readonly baseUrl: string }): Promise<string> {
  return projectFolder(`base_url: ${service.baseUrl}\naccess_token: ${TOKEN}\n`);
}

/** A service that answers its lists with nothing in them. */
function emptyService(): Promise<TestService> {
  return testService((seen, response) => {
    const list = /\/(\w+)\?/.exec(seen.path)?.[1] ?? '';
    const items = list === 'workspaces' ? [{ id: 'w', name: 'W' }] : [];
    sendJson(response, 200, { meta: { offset: 0, limit: 100, total: items.length }, [list]: items });
  });
}

test('a run with nothing to load publishes an empty warehouse once, then reports nothing new', async () => {
  const folder = await project(await emptyService());
  const first = await capture('run', '--json', '--project-dir', folder);
  expect([first.code, JSON.parse(first.stdout)]).toMatchObject([0, { status: 'done', units: [] }]);
  expect(existsSync(join(folder, 'warehouse.duckdb'))).toBe(true);
  const second = await capture('run', '--project-dir', folder);
  expect(second).toEqual({
    code: 0,
    stdout: '',
    stderr: 'Nothing new: every finished unit is in the warehouse.\n',
  });
  const on = async (...words: string[]) => (await capture(...words, '--project-dir', folder)).stderr;
  expect(await on('run', 'crawl_pages')).toBe(
    'Nothing new: every requested finished unit is in the warehouse.\n',
  );
  expect(await on('transform')).toBe('Nothing to build: the models are up to date.\n');
  const query = await capture(
    'query',
    'SELECT count(*) AS n FROM ops.loads',
    '--json',
    '--project-dir',
    folder,
  );
  expect(query).toEqual({ code: 0, stdout: '[\n{"n":0}\n]\n', stderr: '1 row\n' });
  const quiet = await capture(
    'query',
    'SELECT 1 AS n',
    '--quiet',
    '--format',
    'csv',
    '--project-dir',
    folder,
  );
  expect(quiet).toEqual({ code: 0, stdout: 'n\n1\n', stderr: '' });
  const wrong = await capture('query', 'DROP TABLE ops.loads', '--project-dir', folder);
  expect([wrong.code, wrong.stdout]).toEqual([2, '']);
});

test('an unknown project or crawl is a usage error', async () => {
  const folder = await project(await emptyService());
  const { code, stderr } = await capture('run', '--crawl', 'c9', '--project-dir', folder);
  expect(code).toBe(2);
  expect(stderr).toContain('Error: there is no crawl c9\nTry: ');
});

test.for([
  [401, { type: 'unauthorized', message: `not ${TOKEN}` }, 5],
  [403, { type: 'forbidden', code: 'no_active_subscription' }, 5],
  [400, { type: 'invalid_request' }, 4],
  [200, { nothing: true }, 4],
  [200, { type: 'quota_error', message: 'not enough quota' }, 3],
  [206, { meta: { offset: 0, limit: 100, total: 0 }, workspaces: [] }, 4],
] as const)(
  'a service that responds with %i %o ends the run with %i, and the token is never printed',
  async ([status, body, code]) => {
    const service = await testService((_seen, response) => sendJson(response, status, body));
    const folder = await project(service);
    const outcome = await capture('run', '--json', '--debug', '--project-dir', folder);
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).toContain('Error: GET /workspaces?offset=0&limit=100 answered ');
    expect(outcome.stdout + outcome.stderr).not.toContain(TOKEN);
  },
);

/** Runs against a service that never answers, and sends signals once it has been asked. */
async function interrupted(...signals: readonly NodeJS.Signals[]): Promise<Outcome> {
  const asked = Promise.withResolvers<void>();
  const folder = await project(await testService(() => asked.resolve()));
  return spawned(['run', '--json', '--project-dir', folder], async (child) => {
    await Promise.race([asked.promise, once(child, 'exit')]);
    for (const signal of signals) child.kill(signal);
  });
}

test.for([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s ends a run that waits for the service, with %i and a document of the results',
  async ([signal, code]) => {
    const outcome = await interrupted(signal);
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).toContain(`Error: interrupted by ${signal}\nTry: run the same command again`);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ status: 'failed', units: [] });
  },
);

test('a prompt ends in order if its terminal closes', async () => {
  const folder = await temporaryFolder();
  const ended = join(folder, 'ended');
  // The shell keeps the signal to itself and outlives its terminal.
  const words = [process.execPath, MAIN, 'init', join(folder, 'new')].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', `trap '' HUP; ${words}; echo $? > '${ended}'`, '/dev/null'], {
    env: { PATH: process.env.PATH },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let shown = '';
  for await (const piece of child.stdout) {
    shown += String(piece);
    if (shown.includes('Address of the service')) break;
  }
  child.kill('SIGKILL');
  const code = await until(async () => {
    const text = existsSync(ended) ? readFileSync(ended, 'utf8') : '';
    return text === '' ? undefined : text;
  });
  expect([code, shown]).toEqual(['129\n', expect.stringContaining('Address of the service')]);
});

test('a list of workspaces that is shorter than its total is refused', async () => {
  const service = await testService((seen, response) => {
    const list = /\/(\w+)\?/.exec(seen.path)?.[1] ?? '';
    const items = list === 'workspaces' ? [{ id: 'w', name: 'W' }] : [];
    const total = list === 'workspaces' ? 2 : 0;
    sendJson(response, 200, { meta: { offset: 0, limit: 100, total }, [list]: items });
  });
  for (const command of ['run', 'discover', 'doctor']) {
    const { code, stdout, stderr } = await capture(command, '--project-dir', await project(service));
    expect([command, code]).toEqual([command, 3]);
    expect(stdout + stderr).toContain(
      'GET /workspaces does not add up: the service counts 2, but its pages contain 1',
    );
  }
});

test('with --json a failure before any result is one document on stdout', async () => {
  const folder = await projectFolder('base_ur: https://service.example\n');
  const { code, stdout } = await capture('run', '--json', '--project-dir', folder);
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({
    error: {
      code: 'bad_settings',
      message: 'crawlhouse.yaml:1: unknown key base_ur',
      hint: expect.stringContaining('allowed keys'),
      file: 'crawlhouse.yaml',
      line: 1,
    },
  });
});
