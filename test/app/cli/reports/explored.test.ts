import { expect, test } from 'vitest';
import type { Invocation } from '../../../../src/app/cli/command.ts';
import { writeFound } from '../../../../src/app/cli/reports/explored.ts';

test('exported rows are CSV without formulas, with plain numbers, and exact JSON', async () => {
  const rows = [{ title: '=HYPERLINK("x")', depth: -5, name: ';=1', none: null }];
  const written = async (format: 'csv' | 'jsonl', names?: string): Promise<string> => {
    let all = '';
    const write = async (text: string): Promise<void> => {
      all += text;
    };
    await writeFound({ write, text: () => names } as unknown as Invocation, format, rows);
    return all;
  };
  expect(await written('csv')).toBe(`title,depth,name,none\n"'=HYPERLINK(""x"")",-5,';'=1,\n`);
  expect(JSON.parse(await written('jsonl'))).toEqual(rows[0]);
  expect(await written('csv', 'people')).toMatch(/^Title,Crawl depth,Name,None\n/);
  await expect(written('csv', 'person')).rejects.toThrow('--names: person is not a valid value');
});
