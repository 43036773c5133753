import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { GLOBAL_FLAGS } from '../../../src/app/cli/command.ts';
import { COMMAND_NAMES } from '../../../src/app/cli/command-names.ts';
import { allCommands } from '../../../src/app/cli/commands.ts';
import { gaps } from '../../support/gaps.ts';
import { capture, spawned } from './capture.ts';

const COMMANDS = await allCommands();

test('every file in commands/ is a command of the program', () => {
  const files = readdirSync(join(import.meta.dirname, '..', '..', '..', 'src', 'app', 'cli', 'commands'));
  const names = files.map((file) => basename(file, '.ts').replaceAll('-', ' '));
  const listed = (list: string, listing: readonly string[]): string[] =>
    gaps(names, listing, {
      adds: 'a command',
      missing: (name) => `src/app/cli/commands/${name.replaceAll(' ', '-')}.ts has no line in ${list}`,
      extra: (name) => `${list} has ${name}, and src/app/cli/commands/ has no file for it`,
    });
  const loaded = COMMANDS.map((command) => command.name);
  expect([
    ...listed('src/app/cli/command-names.ts', COMMAND_NAMES),
    ...listed('src/app/cli/commands.ts', loaded),
  ]).toEqual([]);
  expect(loaded, 'the order of commands.ts is that of command-names.ts').toEqual(COMMAND_NAMES);
});

test('the help of the program lists every command with its summary, and every global flag', async () => {
  for (const argv of [['--help'], ['help'], ['-h'], ['help', '--help']]) {
    const { code, stdout, stderr } = await capture(...argv);
    expect([code, stderr]).toEqual([0, '']);
    for (const { name, summary } of COMMANDS)
      expect(stdout).toMatch(new RegExp(`^ {2}${name} +${summary}$`, 'm'));
    for (const flag of Object.keys(GLOBAL_FLAGS)) expect(stdout).toContain(`--${flag}`);
  }
});

test('the help of a group lists only its own commands with their summaries', async () => {
  for (const argv of [
    ['logs', '--help'],
    ['help', 'logs'],
    ['logs', '-h'],
  ]) {
    const { code, stdout, stderr } = await capture(...argv);
    expect([code, stderr]).toEqual([0, '']);
    const listed = [...stdout.matchAll(/^ {2}([a-z]+(?: [a-z]+)*) {2,}(.*)$/gm)].map(([, name, summary]) => [
      name,
      summary,
    ]);
    const family = COMMANDS.filter(({ name }) => name.startsWith('logs '));
    expect(listed).toEqual(family.map(({ name, summary }) => [name, summary]));
  }
  const unknown = await capture('nothing', '--help');
  expect([unknown.code, unknown.stdout]).toEqual([2, '']);
});

test('without a command, the help is shown as a usage error', async () => {
  const { code, stdout } = await capture();
  expect([code, stdout.includes('Usage: crawlhouse COMMAND')]).toEqual([2, true]);
});

test.for(COMMANDS.map((command) => [command.name, command] as const))(
  '%s has help with summary, usage and every flag',
  async ([name, command]) => {
    const { code, stdout, stderr } = await capture(...name.split(' '), '--help');
    expect([code, stderr]).toEqual([0, '']);
    expect(command.summary).toMatch(/^[a-z].{10,}[^.]$/);
    expect(stdout).toContain(`crawlhouse ${name}: ${command.summary}\n`);
    expect(stdout).toContain(`Usage: crawlhouse ${name}`);
    for (const [flag, { help, value }] of Object.entries(command.flags)) {
      expect(help.length).toBeGreaterThan(5);
      expect(stdout).toContain(`--${flag}${value ? ` ${value}` : ''}`);
      expect(stdout).toContain(help);
    }
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  },
);

test('help, -h and --help show the same help of a command', async () => {
  const { stdout } = await capture('sandbox', 'start', '--help');
  for (const argv of [
    ['help', 'sandbox', 'start'],
    ['sandbox', 'start', '-h'],
  ])
    expect(await capture(...argv)).toEqual({ code: 0, stdout, stderr: '' });
});

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'));
  expect(await capture('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('the program runs as a process without experimental warnings of Node', async () => {
  const { code, stdout, stderr } = await spawned(['--help']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('Commands:');
});
