import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changeNotes, loadNotes } from '../../../../src/etl/project/settings/notes.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const NOTE = { date: '2026-11-20', project: 'p1', kind: 'deployment', text: 'New templates: "all"' } as const;

test('a folder without the file has no notes', async () => {
  expect(await loadNotes(await temporaryFolder())).toEqual([]);
});

test('notes are added and removed; comments and other notes stay, and notes are unique', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'notes.yaml');
  await changeNotes(folder, 'add', NOTE);
  expect(await loadNotes(folder)).toEqual([NOTE]);
  await writeFile(
    path,
    `# ours\n${readFileSync(path, 'utf8')}  # of all\n  - {date: 2026-10-01, kind: migration, text: To HTTPS}\n`,
  );
  await changeNotes(folder, 'add', NOTE);
  await changeNotes(folder, 'add', { ...NOTE, date: '2026-11-21' });
  expect((await loadNotes(folder)).map(({ date }) => date)).toEqual([
    '2026-10-01',
    '2026-11-20',
    '2026-11-21',
  ]);
  await changeNotes(folder, 'remove', NOTE);
  expect((await loadNotes(folder)).map(({ date }) => date)).toEqual(['2026-10-01', '2026-11-21']);
  expect(readFileSync(path, 'utf8')).toMatch(/^# ours\n.*# of all\n/s);
  await expect(changeNotes(folder, 'remove', NOTE)).rejects.toThrow('there is no such note');
});

test('concurrently added notes all stay', async () => {
  const folder = await temporaryFolder();
  const dates = ['2026-11-20', '2026-11-21', '2026-11-22'];
  await Promise.all(dates.map((date) => changeNotes(folder, 'add', { ...NOTE, date })));
  expect((await loadNotes(folder)).map(({ date }) => date)).toEqual(dates);
});

test('an invalid note is refused with file and line, and nothing is written', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'notes.yaml');
  await expect(changeNotes(folder, 'add', { ...NOTE, date: 'today' })).rejects.toThrow(
    'date: a day is expected',
  );
  await expect(changeNotes(folder, 'add', { ...NOTE, text: ' ' })).rejects.toThrow('text');
  expect(existsSync(path)).toBe(false);
  const wrong =
    'notes:\n  - {date: 2026-11-20, kind: deployment, text: a}\n  - {date: 2026-11-20, kind: release, text: b}\n';
  await writeFile(path, wrong);
  await expect(loadNotes(folder)).rejects.toThrow(/^notes\.yaml:3: notes\.1\.kind/);
  await expect(changeNotes(folder, 'add', NOTE)).rejects.toThrow('notes.yaml:3');
  expect(readFileSync(path, 'utf8')).toBe(wrong);
});
