import { expect, test } from 'vitest';
import type { Invocation } from '../../../../src/app/cli/command.ts';
import { endText, partOf, writeFound, writePart } from '../../../../src/app/cli/reports/explored.ts';

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

/** A command line with these flags, and what it prints. */
function invocation(flags: Readonly<Record<string, string>>, terminal?: { width: number }) {
  const printed = { said: '', written: '' };
  const value = {
    text: (name: string) => flags[name],
    say: (text: string) => {
      printed.said += text;
    },
    write: async (text: string) => {
      printed.written += text;
    },
    print: async (text: string) => {
      printed.written += text;
    },
    terminal: terminal ?? null,
  } as unknown as Invocation;
  return { value, printed };
}

test('--part chooses the rows, and is needed for a format of rows', () => {
  const parts = { issues: (answer: number) => [{ answer }], pages: () => [] };
  const part = (flags: Readonly<Record<string, string>>) => partOf(invocation(flags).value, parts);
  expect(part({})).toBeNull();
  expect(part({ format: 'table' })).toBeNull();
  expect(part({ part: 'issues' })?.(3)).toEqual([{ answer: 3 }]);
  expect(() => part({ format: 'csv' })).toThrow('--format needs --part');
  expect(() => part({ part: 'issue' })).toThrow('--part: issue is not a valid part');
});

test('the rows of a part are a table, or written in their format', async () => {
  const rows = [{ status_code: 200, names: ['a'], none: null }];
  const write = async (format: 'table' | 'csv', all: readonly object[], flags = {}) => {
    const { value, printed } = invocation(flags);
    await writePart(value, format, all);
    return printed;
  };
  expect(await write('table', [])).toEqual({ said: 'no rows\n', written: '' });
  expect((await write('csv', rows)).written).toMatch(/^status_code,names,none\n200,/);
  const table = Object.values(await write('table', rows)).join('');
  expect(table).toMatch(/^Status code +Names +None\n/);
  expect(table).toContain('["a"]');
  const plain = Object.values(await write('table', rows, { names: 'columns' })).join('');
  expect(plain).toMatch(/^status_code +names +none\n/);
});

test('the end of a crawl is a minute, or unknown', () => {
  expect(endText('2026-03-16T03:00:59Z')).toBe('2026-03-16 03:00 UTC');
  expect(endText(null)).toBe('an unknown day');
});
