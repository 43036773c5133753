import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { GLOBAL_FLAGS } from '../../../src/people/cli/command.ts';
import { COMMAND_NAMES } from '../../../src/people/cli/command-names.ts';
import { allCommands } from '../../../src/people/cli/commands.ts';
import { capture, spawned } from './capture.ts';

const COMMANDS = await allCommands();

test('every file of commands/ is a command of the program', () => {
  const files = readdirSync(join(import.meta.dirname, '..', '..', '..', 'src', 'people', 'cli', 'commands'));
  const names = files.map((file) => basename(file, '.ts').replaceAll('-', ' '));
  expect(COMMAND_NAMES.toSorted()).toEqual(names.toSorted());
  expect(COMMANDS.map((command) => command.name)).toEqual(COMMAND_NAMES);
});

test('the help of the program lists every command with its summary, and every flag that works everywhere', async () => {
  for (const argv of [['--help'], ['help'], ['-h'], ['help', '--help']]) {
    const { code, stdout, stderr } = await capture(...argv);
    expect([code, stderr]).toEqual([0, '']);
    for (const { name, summary } of COMMANDS)
      expect(stdout).toMatch(new RegExp(`^ {2}${name} +${summary}$`, 'm'));
    for (const flag of Object.keys(GLOBAL_FLAGS)) expect(stdout).toContain(`--${flag}`);
  }
});

test('without a command the help is shown as a wrong use', async () => {
  const { code, stdout } = await capture();
  expect([code, stdout.includes('Usage: crawlhouse COMMAND')]).toEqual([2, true]);
});

test.for(COMMANDS.map((command) => [command.name, command] as const))(
  '%s has a help with its summary, its usage and every flag explained',
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

test('the program runs as a process and keeps quiet about experiments of Node', async () => {
  const { code, stdout, stderr } = await spawned(['--help']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('Commands:');
});
