import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { receiver } from '../../operations/alert/receiver.ts';
import { capture, projectFolder } from '../capture.ts';

test('each target, including those of schedules, gets a test alert, and its response is printed', async () => {
  const to = await receiver();
  const pager = join(await projectFolder(), 'pager.json');
  const settings = `alerts: { webhook: '${to.url}', command: [tee, '${pager}'] }\n`;
  const folder = await projectFolder(settings);
  await writeFile(
    join(folder, 'schedules.yaml'),
    'schedules: [{ name: night, cron: "0 2 * * *", alerts: { command: [sh, -c, exit 7] } }]\n',
  );
  const { code, stdout } = await capture('alerts', 'test', '--json', '--project-dir', folder);
  const host = new URL(to.url).host;
  expect(JSON.parse(stdout)).toEqual({
    targets: [
      {
        target: `webhook at ${host}`,
        users: ['alerts', 'schedule night'],
        answer: 'answered 204',
        error: null,
      },
      { target: 'command tee', users: ['alerts'], answer: 'ended with 0', error: null },
      {
        target: 'command sh',
        users: ['schedule night'],
        answer: null,
        error: {
          code: 'connection',
          message: 'sh ended with 7',
          hint: 'fix the command; crawlhouse alerts test runs it again',
        },
      },
    ],
  });
  expect(code).toBe(3);
  expect(to.received).toEqual([
    expect.objectContaining({ event: 'test', scope: 'alerts test', run_id: null }),
  ]);
});

test('the terminal shows one line per target, and a refusal is a configuration error', async () => {
  const to = await receiver();
  const folder = await projectFolder(`alerts: { webhook: '${to.url}' }\n`);
  const well = await capture('alerts', 'test', '--project-dir', folder);
  expect([well.code, well.stdout]).toEqual([
    0,
    expect.stringMatching(/^ok +webhook at \S+ +alerts +answered 204$/m),
  ]);
  to.answers.push(404);
  const refused = await capture('alerts', 'test', '--project-dir', folder);
  expect([refused.code, refused.stdout]).toEqual([
    2,
    expect.stringMatching(/^fail .*the receiver answered 404$/m),
  ]);
});

test('alerts test without a target names the settings to set', async () => {
  const { code, stderr } = await capture('alerts', 'test', '--project-dir', await projectFolder());
  expect([code, stderr]).toEqual([
    2,
    'Error: there is no target for alerts\nTry: set alerts.webhook or alerts.command in crawlhouse.yaml\n',
  ]);
});
