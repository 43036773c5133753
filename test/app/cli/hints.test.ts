import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asCalled } from '../../../src/app/cli/as-called.ts';
import { GLOBAL_FLAGS } from '../../../src/app/cli/command.ts';
import { COMMAND_NAMES } from '../../../src/app/cli/command-names.ts';
import { commandOf } from '../../../src/app/cli/commands.ts';

const SRC = join(import.meta.dirname, '../../../src');
/** A command in a text, up to the end of its words, names of arguments, values that are put in, and flags. */
const COMMAND =
  /(?<![\w/.@-])crawlhouse ((?:[a-z]+ ?)+)((?:(?<= ) ?(?:--[a-z-]+|[A-Z]+(?:\|[A-Z]+)*|\$\{[^}]+\}))*)/g;
/** What is said of the program, which is no command. */
const PROSE = /^([a-z]+s|itself|the|project|wait|queue|failed|cannot|wrote|copied|then|always)\b/;
const NAMES = [...COMMAND_NAMES, 'help'].toSorted((a, b) => b.length - a.length);
const isCommand = (words: string): boolean => NAMES.some((name) => `${words.trim()} `.startsWith(`${name} `));

/** Every command in the texts of the sources, with the file and the flags that go with it. */
const said = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .flatMap((path) =>
    readFileSync(join(SRC, path), 'utf8')
      .split('\n')
      .filter((line) => /['"`].*crawlhouse /.test(line) && !/^\s*(\/\/|\*|\/\*)/.test(line))
      .flatMap((line) =>
        [...line.matchAll(COMMAND)].map(([, words = '', rest = '']) => ({ path, words, rest })),
      ),
  )
  .filter(({ words }) => isCommand(words) || !PROSE.test(words));

test('each command in a message exists in the help, with its flags', async () => {
  expect(said.length).toBeGreaterThan(60);
  const wrong: string[] = [];
  for (const { path, words, rest } of said) {
    const name = NAMES.find((one) => `${words.trim()} `.startsWith(`${one} `));
    if (name === undefined) wrong.push(`${path}: crawlhouse ${words}`);
    const command = COMMAND_NAMES.find((one) => one === name);
    const flags = command && { ...GLOBAL_FLAGS, ...(await commandOf(command.split(' ')))?.flags };
    for (const [, flag = ''] of rest.matchAll(/--([a-z-]+)/g))
      if (flags && !Object.hasOwn(flags, flag)) wrong.push(`${path}: crawlhouse ${words}--${flag}`);
  }
  expect(wrong).toEqual([]);
});

test('each command in a message is printed as in the help', () => {
  const call = { argv: [], folder: join(SRC, '..'), environment: { PATH: '/nowhere' } };
  for (const { path, words } of said)
    expect([path, asCalled(`crawlhouse ${words}`, call)]).toEqual([path, `npx crawlhouse ${words}`]);
});
