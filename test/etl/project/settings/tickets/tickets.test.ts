import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  addTicket,
  changeTicket,
  loadTickets,
  TicketSettings,
  ticketsOf,
} from '../../../../../src/etl/project/settings/tickets/tickets.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

const GIVEN = { project: 'p1', issue: 'slow', crawl: 'c1', state: 'open', owner: 'Ada' };
const WRITTEN = `# ours
tickets:
  # of the shop
  - { id: t1, project: Shop, issue: slow, crawl: c1, state: open, created_at: 2026-11-01T00:00:00Z, changed_at: 2026-11-01T00:00:00Z }
`;

test('a folder without the file has no tickets', async () => {
  expect(await loadTickets(await temporaryFolder())).toEqual([]);
  expect(await loadTickets(undefined)).toEqual([]);
});

test('tickets are added and changed; comments and other tickets stay', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'tickets.yaml');
  await writeFile(path, WRITTEN);
  const added = await addTicket(folder, { ...GIVEN, urls: ['https://a.example/'], note: 'a: "b"\n# c' });
  const changed = await changeTicket(
    folder,
    { id: 't1', seen: '2026-11-01T00:00:00Z' },
    { state: 'done', note: 'fixed' },
  );
  expect(changed).toMatchObject({
    id: 't1',
    state: 'done',
    note: 'fixed',
    created_at: '2026-11-01T00:00:00Z',
  });
  expect(changed.done_at).toBe(changed.changed_at);
  expect(await loadTickets(folder)).toEqual([changed, added]);
  expect(readFileSync(path, 'utf8')).toMatch(/^# ours\n.*# of the shop\n/s);
  expect(ticketsOf([changed, added], { project_id: 'p1', project_name: 'Shop' })).toEqual([changed, added]);
  expect(ticketsOf([changed, added], { project_id: 'p1', project_name: null })).toEqual([added]);
});

test('a ticket that stays done keeps its done time', async () => {
  const folder = await temporaryFolder();
  const done = await addTicket(folder, { ...GIVEN, state: 'done' });
  expect(done.done_at).toBe(done.created_at);
  const noted = await changeTicket(
    folder,
    { id: done.id, seen: done.changed_at },
    { state: 'done', note: 'x' },
  );
  expect(noted.done_at).toBe(done.done_at);
  expect(noted.owner).toBeUndefined();
  const again = await changeTicket(folder, { id: done.id, seen: noted.changed_at }, { state: 'in_progress' });
  expect(again.done_at).toBeUndefined();
  expect(readFileSync(join(folder, 'tickets.yaml'), 'utf8')).not.toMatch(/done_at|note|owner/);
});

test('a change to a ticket that another person changed is refused', async () => {
  const folder = await temporaryFolder();
  const { id, changed_at: seen } = await addTicket(folder, GIVEN);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await changeTicket(folder, { id, seen }, { state: 'done' });
  await expect(changeTicket(folder, { id, seen }, { state: 'open' })).rejects.toThrow('someone else');
  await expect(changeTicket(folder, { id: 'none', seen }, { state: 'open' })).rejects.toThrow(
    'no ticket none',
  );
  expect((await loadTickets(folder)).map(({ state }) => state)).toEqual(['done']);
});

test('concurrently added tickets all stay, each with its own id', async () => {
  const folder = await temporaryFolder();
  await Promise.all(['a', 'b', 'c'].map((owner) => addTicket(folder, { ...GIVEN, owner })));
  const tickets = await loadTickets(folder);
  expect(tickets.map(({ owner }) => owner)).toEqual(['a', 'b', 'c']);
  expect(new Set(tickets.map(({ id }) => id)).size).toBe(3);
});

test.each([
  ['state: ignored', 'tickets.0.state: an ignored ticket needs until'],
  ['state: open, until: 2026-12-01', 'tickets.0.until: only an ignored ticket has until'],
  ['state: open, segment: /a/', 'tickets.0.segment: segmentation and segment belong together'],
  [
    'state: open, segmentation: kind, segment: a, urls: [/a]',
    'tickets.0.urls: a ticket has a segment or URLs',
  ],
  ['state: opened', 'tickets.0.state'],
  ['state: open, due: soon', 'tickets.0.due: a day is expected'],
  ['state: open, jira: A-1', 'unknown key tickets.0.jira'],
])('%s is refused with file, line and key, and nothing is written', async (keys, message) => {
  const folder = await temporaryFolder();
  const path = join(folder, 'tickets.yaml');
  const text = `tickets:\n  - { id: t1, project: p1, issue: slow, crawl: c1, created_at: 2026-11-01T00:00:00Z, changed_at: 2026-11-01T00:00:00Z, ${keys} }\n`;
  await writeFile(path, text);
  await expect(loadTickets(folder)).rejects.toThrow(message);
  await expect(loadTickets(folder)).rejects.toThrow(/^tickets\.yaml:2: /);
  await expect(addTicket(folder, GIVEN)).rejects.toThrow('tickets.yaml:2');
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('two tickets with one id, and invalid values, are refused', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'tickets.yaml'), WRITTEN + (WRITTEN.split('\n')[3] ?? ''));
  await expect(loadTickets(folder)).rejects.toThrow('tickets.yaml:5: tickets.1.id: a second ticket t1');
  const other = await temporaryFolder();
  await expect(addTicket(other, { ...GIVEN, owner: 'a\u0007b' })).rejects.toThrow('control characters');
  await expect(addTicket(other, { ...GIVEN, state: 'ignored' })).rejects.toThrow('needs until');
  expect(existsSync(join(other, 'tickets.yaml'))).toBe(false);
});

test('a tracker needs the place of its issues, a plain webhook does not', () => {
  expect(TicketSettings.parse({})).toMatchObject({ template: 'plain', issue_type: 'Task' });
  expect(TicketSettings.parse({ template: 'jira', place: 'SHOP' })).toMatchObject({ place: 'SHOP' });
  for (const template of ['jira', 'linear'])
    expect(TicketSettings.safeParse({ template }).error?.issues).toMatchObject([{ path: ['place'] }]);
});
