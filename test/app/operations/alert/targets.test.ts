import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allTargets, targetsOf } from '../../../../src/app/operations/alert/targets.ts';
import { AlertSettings } from '../../../../src/etl/project/settings/alert-settings.ts';
import type { Schedule } from '../../../../src/etl/project/settings/schedules.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { waitingAlert } from './alert-store-contract.ts';
import { receiver } from './receiver.ts';

const { signal } = new AbortController();
const settings = (given: object): AlertSettings => AlertSettings.parse(given);

test('a webhook and a command are targets, named without what may be secret', () => {
  expect(targetsOf(settings({}))).toEqual([]);
  const targets = targetsOf(
    settings({ webhook: 'https://hooks.example/secret', command: ['pager', '--key=x'] }),
  );
  expect(targets.map(({ name }) => name)).toEqual(['webhook at hooks.example', 'command pager']);
  expect(targets.map(({ id }) => id)).toEqual([
    expect.stringMatching(/^webhook-[\da-f]{12}$/),
    expect.stringMatching(/^command-[\da-f]{12}$/),
  ]);
});

test('a webhook receives the alert in its format, a command on its input', async () => {
  const { url, received } = await receiver();
  for (const format of ['json', 'slack'])
    await targetsOf(settings({ webhook: url, format }))[0]?.send(waitingAlert('no answer'), signal);
  expect(received).toMatchObject([{ title: 'no answer' }, { text: expect.stringContaining('no answer') }]);
  const file = join(await temporaryFolder(), 'alert');
  const [command] = targetsOf(settings({ command: ['sh', '-c', `cat > ${file}`] }));
  expect(await command?.send(waitingAlert('no answer'), signal)).toBe('ended with 0');
  expect(await readFile(file, 'utf8')).toMatch(/"title":"no answer".*\n$/);
});

test('a target is reached without an alert', async () => {
  const { url, received } = await receiver();
  const [webhook] = targetsOf(settings({ webhook: url }));
  await webhook?.reach(signal);
  expect(received).toEqual([]);
  const [command] = targetsOf(settings({ command: ['sh'] }));
  await command?.reach(signal);
  const [none] = targetsOf(settings({ command: ['/nowhere/pager'] }));
  await expect(none?.reach(signal)).rejects.toThrow('/nowhere/pager');
});

test('each target is listed once, with the setting and the schedules that use it', () => {
  const schedules = [
    { name: 'daily', alerts: { events: ['failure'] } },
    { name: 'weekly', alerts: { webhook: 'https://other.example/' } },
    { name: 'plain' },
  ] as unknown as Schedule[];
  const all = allTargets(settings({ webhook: 'https://hooks.example/' }), schedules);
  expect(all.map(({ target, users }) => [target.name, users])).toEqual([
    ['webhook at hooks.example', ['alerts', 'schedule daily']],
    ['webhook at other.example', ['schedule weekly']],
  ]);
});
