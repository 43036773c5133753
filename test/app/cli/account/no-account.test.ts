import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { planDrop, takeOut } from '../../../../src/etl/pipeline/drop.ts';
import { runSession } from '../../../../src/etl/pipeline/session.ts';
import { packageProject, signal } from '../../../etl/pipeline/package-project.ts';
import { service } from '../../../service/support.ts';
import { capture, projectFolder } from '../capture.ts';

test('a folder that only crawls websites passes doctor without an account, and nothing is due', async () => {
  const folder = await projectFolder();
  await mkdir(join(folder, '.crawlhouse', 'service'), { recursive: true });
  const on = (...argv: string[]) => capture(...argv, '--project-dir', folder);
  const doctor = await on('doctor', '--json');
  const { status, checks } = JSON.parse(doctor.stdout);
  expect([doctor.code, status]).toEqual([0, 'ok']);
  expect(checks).toContainEqual(
    expect.objectContaining({
      name: 'service',
      status: 'ok',
      message: expect.stringContaining('no account'),
    }),
  );
  expect(checks).toContainEqual(
    expect.objectContaining({ name: 'token', status: 'skip', message: 'not checked: no account is set' }),
  );
  for (const words of [
    ['run'],
    ['run', '--plan'],
    ['discover'],
    ['backfill', '--from', '2026-01-01', '--to', '2026-01-02'],
  ]) {
    const { code, stderr } = await on(...words);
    expect([code, stderr], words.join(' ')).toEqual([
      0,
      expect.stringMatching(/^No account.*\n.* crawl URL\n$/s),
    ]);
  }
  expect(JSON.parse((await on('run', '--json')).stdout)).toMatchObject({
    run_id: null,
    status: 'done',
    units: [],
  });
  expect(JSON.parse((await on('run', '--plan', '--json')).stdout)).toMatchObject({
    units: [],
    totals: { units: 0 },
  });
  expect(JSON.parse((await on('discover', '--json')).stdout)).toMatchObject({ units: [], open: [] });
});

test('a run without an account publishes what a killed drop left behind', async () => {
  const { make, load, read, settings, folder } = await packageProject();
  await load(await make('c1', ['a']), await make('c2', ['b']));
  await mkdir(join(folder, '.crawlhouse', 'service'), { recursive: true });
  const units = await planDrop(settings, { crawls: ['c1'], projects: [], datasets: [] });
  await runSession({ command: 'drop', settings, logger: silentLogger, signal }, async (session) => {
    await takeOut(session, units, 'dropped');
    return { units: [], errors: [], yielded: true };
  });
  const { code, stderr } = await capture('run', '--project-dir', folder);
  expect([code, stderr]).toEqual([0, expect.stringContaining('nothing is due')]);
  expect(await read('SELECT url FROM raw.crawl_pages')).toEqual([{ url: 'b' }]);
});

test('without an account and crawls, the account is reported as missing, and .env is named', async () => {
  const folder = await projectFolder();
  for (const words of [['run'], ['discover'], ['doctor']]) {
    const { code, stdout, stderr } = await capture(...words, '--project-dir', folder);
    expect([code, stdout + stderr]).toEqual([2, expect.stringContaining('the setting base_url is missing')]);
    expect(stdout + stderr).toContain('set CRAWLHOUSE_BASE_URL in .env');
  }
});

test('doctor and plan find a misspelled field, even if nothing is due', async () => {
  const { sandbox } = await service({ generate: ['projects=1,crawls=1,pages=5,columns=8,seed=3'] });
  const account = `base_url: ${sandbox.baseUrl}\naccess_token: ${sandbox.accessToken}`;
  const folder = await projectFolder(account);
  const on = (...argv: string[]) => capture(...argv, '--project-dir', folder);
  expect((await on('run')).code).toBe(0);
  expect((await on('doctor')).stdout).toMatch(/^ok {4}fields/m);
  await appendFile(join(folder, 'pipelines', 'crawl_pages.yaml'), 'fields: { include: [url, staus_code] }\n');
  const plan = await on('run', '--plan');
  expect([plan.code, plan.stderr]).toEqual([
    2,
    expect.stringContaining('the service has no field staus_code for crawl_pages'),
  ]);
  expect(plan.stderr).toContain('did you mean status_code');
  const doctor = await on('doctor');
  expect([doctor.code, doctor.stdout]).toEqual([
    2,
    expect.stringMatching(/^fail {2}fields {6}pipelines\/crawl_pages\.yaml:4: .*staus_code/m),
  ]);
});
