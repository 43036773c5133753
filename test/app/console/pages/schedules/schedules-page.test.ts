import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { actingConsole } from '../../../../support/acting-console.ts';
import { rawProjectFolder } from '../../../../support/project.ts';

const FILE = `schedules:
  # Before the meeting
  - name: morning
    cron: "0 6 * * *"
    time_zone: Europe/Paris
    overlap: queue
`;

async function scheduled(environment?: Readonly<Record<string, string>>) {
  const folder = await rawProjectFolder();
  const file = join(folder, 'schedules.yaml');
  await writeFile(file, FILE);
  const acting = await actingConsole(folder, environment);
  return {
    ...acting,
    text: () => readFile(file, 'utf8'),
    write: (text: string) => writeFile(file, text),
    send: (fields: Readonly<Record<string, string>>, init: { readonly cookie?: string } = {}) =>
      acting.ask('/schedules', {
        ...init,
        method: 'POST',
        body: new URLSearchParams({ csrf: acting.csrf, ...fields }),
      }),
  };
}

const NEW = { change: 'add', name: 'weekly', every: 'week', weekday: '1', at: '07:30', time_zone: 'UTC' };
/** The events of the setting, which an unchanged form sends. */
const EVENTS = ['failure', 'recovery', 'stale', 'volume', 'schema', 'change'];

test('the page shows what each schedule does, its next times, its last result and who gets alerts', async () => {
  const { ask, settings, write } = await scheduled({
    CRAWLHOUSE_ALERTS_WEBHOOK: 'https://hooks.example/secret',
    CRAWLHOUSE_CONSOLE_ACTIONS: 'false',
  });
  await write(`${FILE}    crawl: https://www.example.com/\n    alerts: { events: [failure] }\n`);
  const last = { ended_at: '2026-01-02T06:00:00.000Z', exit_code: 3, error: 'no <route> to host' };
  const done_until = '2026-01-02T05:00:00.000Z';
  await mkdir(settings.state_dir, { recursive: true });
  const cursor = { cron: '0 6 * * *', time_zone: 'Europe/Paris', done_until, last };
  await writeFile(join(settings.state_dir, 'schedules.json'), JSON.stringify({ morning: cursor }));
  const { schedules, is_served } = (await (await ask('/schedules.json')).json()) as {
    schedules: { next: string[] }[];
    is_served: boolean;
  };
  expect([schedules, is_served]).toMatchObject([
    [
      {
        name: 'morning',
        paused: false,
        last,
        alerts: { targets: ['webhook at hooks.example'], events: ['failure'] },
      },
    ],
    false,
  ]);
  const next = schedules[0]?.next ?? [];
  expect(next).toEqual([1, 2, 3].map(() => expect.stringMatching(/T0[45]:00:00/)));
  const page = await (await ask('/schedules')).text();
  expect(page).toContain(`<time datetime="${next[0]}" data-local>`);
  expect(page).toContain('crawls https://www.example.com/, then loads all datasets');
  expect(page).toContain('every day at 06:00 (Europe/Paris)');
  expect(page).toContain('no &lt;route&gt; to host');
  expect(page).not.toContain('secret');
  expect(page).not.toContain('Add a schedule');
  expect(await (await ask('/operations')).text()).toContain('href="/schedules"');
});

test('an operator adds, changes, pauses, resumes and deletes a schedule, and the audit records each change', async () => {
  const { ask, send, text } = await scheduled();
  const added = await send({ ...NEW, project: 'shop\nblog', event: 'failure' });
  expect([added.status, added.headers.get('location')]).toEqual([303, '/schedules']);
  expect(await text()).toBe(
    `${FILE}  - name: weekly\n    pipelines: all\n    projects:\n      - shop\n      - blog\n    cron: 30 7 * * 1\n    time_zone: UTC\n    alerts:\n      events:\n        - failure\n`,
  );
  await send({ change: 'delete', name: 'weekly' });
  expect(await text()).toBe(FILE);
  await send({ change: 'pause', name: 'morning' });
  expect(await text()).toBe(`${FILE}    paused: true\n`);
  expect(await (await ask('/schedules')).text()).toContain('Resume morning');
  await send({ change: 'resume', name: 'morning' });
  expect(await text()).toBe(FILE);
  const form = await (await ask('/schedules/morning')).text();
  expect(form).toContain('value="Europe/Paris"');
  expect(form).toContain('Delete the schedule morning?');
  const audit = await (await ask('/audit.json')).json();
  expect(audit).toMatchObject({
    entries: [
      { command: 'resume schedule morning', subject: 'local', outcome: '0' },
      { command: 'pause schedule morning' },
      { command: 'delete schedule weekly' },
      { command: expect.stringContaining('add schedule weekly ["every=week","weekday=1","at=07:30"') },
    ],
  });
});

test('an unchanged form changes nothing in the file', async () => {
  const { ask, text, csrf } = await scheduled();
  const body = new URLSearchParams({
    csrf,
    change: 'save',
    name: 'morning',
    every: 'day',
    at: '06:00',
    time_zone: 'Europe/Paris',
  });
  for (const event of EVENTS) body.append('event', event);
  expect((await ask('/schedules', { method: 'POST', body })).status).toBe(303);
  expect(await text()).toBe(FILE);
});

test('an error is shown at its field, with the input', async () => {
  const { send, text } = await scheduled();
  const bad = await send({
    ...NEW,
    every: 'cron',
    cron: '61 6 * * *',
    time_zone: 'Mars',
    report: '../x.html',
    crawl: 'ftp://x',
  });
  const page = await bad.text();
  expect(bad.status).toBe(400);
  expect(page).toMatch(/id="problem-cron">61 does not fit/);
  expect(page).toContain('value="61 6 * * *" size="16" aria-label="Cron expression" aria-invalid="true"');
  for (const field of ['time_zone', 'report', 'crawl']) expect(page).toContain(`id="problem-${field}"`);
  for (const fields of [
    { ...NEW, name: 'morning' },
    { ...NEW, name: 'a b' },
    { ...NEW, at: '' },
    { change: 'drop', name: 'morning' },
    { change: 'delete', name: 'none' },
  ])
    expect((await send(fields)).status, JSON.stringify(fields)).toBe(400);
  expect(await text()).toBe(FILE);
});

test('only the owner of the machine can give a schedule with allow_private another website', async () => {
  const file = `${FILE}    crawl: http://10.0.0.1/\n    allow_private: true\n`;
  const fields = { ...NEW, change: 'save', name: 'morning', at: '08:00' };
  const shared = await scheduled({
    CRAWLHOUSE_CONSOLE_ACTIONS: 'true',
    CRAWLHOUSE_CONSOLE_URL: 'https://console.example',
    CRAWLHOUSE_CONSOLE_OIDC_ISSUER: 'https://accounts.example',
    CRAWLHOUSE_CONSOLE_OIDC_CLIENT_ID: 'console',
    CRAWLHOUSE_CONSOLE_OIDC_CLIENT_SECRET: 'secret',
  });
  const own = await scheduled();
  await shared.write(file);
  await own.write(file);
  const refused = await shared.send({ ...fields, crawl: 'http://10.0.0.2/' });
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining('id="problem-crawl"'),
  ]);
  expect(await shared.text()).toBe(file);
  expect((await shared.send({ ...fields, crawl: 'http://10.0.0.1/' })).status).toBe(303);
  expect((await own.send({ ...fields, crawl: 'http://10.0.0.2/' })).status).toBe(303);
  expect(await own.text()).toContain('crawl: http://10.0.0.2/\n    allow_private: true');
});

test('an invalid file is shown with its error, and stays unchanged', async () => {
  const { ask, send, text, write } = await scheduled();
  await write('schedules:\n  - nam: x\n');
  expect(await (await ask('/schedules')).text()).toContain('unknown key schedules.0.nam');
  expect((await send({ ...NEW, change: 'save', name: 'x' })).status).toBe(400);
  expect((await send(NEW)).status).toBe(400);
  expect(await text()).toBe('schedules:\n  - nam: x\n');
});

test('only operators change schedules, and only with the form token', async () => {
  const { ask, send, person, text } = await scheduled();
  const { cookie, csrf } = person('analyst');
  expect(await (await ask('/schedules', { cookie })).text()).not.toContain('Add a schedule');
  expect((await ask('/schedules/morning', { cookie })).status).toBe(403);
  for (const change of ['add', 'save', 'pause', 'delete'])
    expect((await send({ ...NEW, change, name: 'morning', csrf }, { cookie })).status).toBe(403);
  expect((await send({ ...NEW, csrf: 'x' })).status).toBe(403);
  expect((await send(NEW, { cookie: '' })).status).toBe(401);
  expect(await text()).toBe(FILE);
  const off = await scheduled({ CRAWLHOUSE_CONSOLE_ACTIONS: 'false' });
  expect((await off.send(NEW)).status).toBe(403);
});
