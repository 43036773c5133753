import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Interruption, ignoreClosedTerminal, main } from '../../../src/app/cli/app.ts';
import type { Command, Invocation } from '../../../src/app/cli/command.ts';
import { CrawlhouseError } from '../../../src/core/errors/errors.ts';
import { keepSecret } from '../../../src/core/secrets/redact.ts';
import { capture } from './capture.ts';

const shared = vi.hoisted(() => ({ run: async (_invocation: unknown): Promise<number> => 0 }));
vi.mock('../../../src/app/cli/commands.ts', () => {
  const flags = {
    number: { value: 'N', help: 'a number' },
    name: { value: 'NAME', multiple: true, help: 'a name' },
  };
  const command = {
    ...{ name: 'logs add', summary: 'Adds.', positionals: { shown: '[FILE…]', most: 2 } },
    ...{ flags, run: (invocation: unknown) => shared.run(invocation) },
  };
  return {
    commandOf: async ([first, second]: readonly string[]) =>
      first === 'logs' && second === 'add' ? command : undefined,
    allCommands: async () => [command, { ...command, name: 'run' }] satisfies Command[],
  };
});

/** Calls the command with a program in its place. */
function call(argv: readonly string[], run: (invocation: Invocation) => Promise<unknown>) {
  shared.run = async (invocation) => {
    const code = await run(invocation as Invocation);
    return typeof code === 'number' ? code : 0;
  };
  return capture('logs', 'add', ...argv);
}

/** Standard input and outputs are terminals. */
function onTerminal(outputs: readonly ('stdin' | 'stdout' | 'stderr')[], columns: number | undefined): void {
  for (const name of outputs)
    for (const [key, value] of Object.entries({ isTTY: true, columns, hasColors: () => true })) {
      const before = Object.getOwnPropertyDescriptor(process[name], key);
      Object.defineProperty(process[name], key, { configurable: true, value });
      onTestFinished(() => {
        if (before === undefined) Reflect.deleteProperty(process[name], key);
        else Object.defineProperty(process[name], key, before);
      });
    }
}

beforeEach(() => {
  shared.run = async () => 0;
});

test('flags and arguments reach the command, also negative numbers and what follows --', async () => {
  const argv = ['-1', '--number', '-2', '--name', 'a', '--name=b', '--no-color', '--', '--help'];
  const { code } = await call(argv, async ({ positionals, text, texts, has, person, terminal }) => {
    expect(positionals).toEqual(['-1', '--help']);
    expect([text('number'), text('name'), text('none')]).toEqual(['-2', undefined, undefined]);
    expect([texts('name'), texts('number')]).toEqual([['a', 'b'], []]);
    expect([has('no-color'), has('json'), has('number')]).toEqual([true, false, false]);
    expect([person, terminal]).toEqual([null, null]);
    return 4;
  });
  expect(code).toBe(4);
  const twice = await call(['--number', '1', '--number=1'], async ({ text }) => {
    expect(text('number')).toBe('1');
  });
  expect([twice.code, twice.stderr]).toEqual([0, '']);
});

test('the help of a command, a group and the program goes to stdout', async () => {
  const none = vi.fn(async () => 0);
  shared.run = none;
  for (const argv of [
    ['logs', 'add', '-h'],
    ['logs', 'add', 'x', '--help'],
    ['help', 'logs', 'add'],
  ])
    expect(await capture(...argv)).toMatchObject({ code: 0, stdout: expect.stringContaining('a number') });
  for (const argv of [
    ['help', 'logs'],
    ['logs', '--help'],
    ['logs', '-h', '--help'],
  ]) {
    const { code, stdout } = await capture(...argv);
    expect([code, stdout]).toEqual([0, expect.stringContaining('logs add')]);
    expect(stdout).not.toContain(' run ');
  }
  for (const argv of [[], ['help'], ['--help'], ['-h']]) {
    const { code, stdout } = await capture(...argv);
    expect([argv, code]).toEqual([argv, argv.length === 0 ? 2 : 0]);
    expect(stdout).toContain('run');
  }
  expect(await capture('logs', 'nothing', '--help')).toMatchObject({ code: 2, stdout: '' });
  expect(await capture('help', 'help')).toMatchObject({ code: 2, stdout: '' });
  expect((await capture('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(none).not.toHaveBeenCalled();
});

test('a usage error names the argument beyond the last one, or the flag that was meant', async () => {
  const beyond = await call(['a', 'b', 'c', 'd'], async () => 0);
  expect([beyond.code, beyond.stderr]).toEqual([
    2,
    expect.stringMatching(/^Error: unexpected argument c\nTry: /),
  ]);
  expect((await call(['a', 'b'], async () => 0)).code).toBe(0);
  const meant = await call(['--nmber', '1'], async () => 0);
  expect(meant.stderr).toMatch(
    /did you mean --number\? flags of (npx )?crawlhouse logs add: --json, --quiet/,
  );
  const own = await call([], async () => {
    throw new CrawlhouseError('usage', 'a file is missing');
  });
  expect(own.stderr).toMatch(/^Error: a file is missing\nTry: (npx )?crawlhouse help logs add\n$/);
});

test('without a terminal, output stays as it is, and --quiet leaves errors only', async () => {
  keepSecret('a-secret-of-the-app');
  const run = async ({
    write,
    print,
    printJson,
    say,
    clear,
    progress,
    logger,
  }: Invocation): Promise<void> => {
    await write('data a-secret-of-the-app \x1b[31m\n');
    await print('report a-secret-of-the-app \x1b[31m\n', () => true);
    await printJson({ text: 'a-secret-of-the-app' });
    clear();
    say('a line\n');
    progress('half');
    logger.warn('careful');
    logger.info('by the way');
  };
  const { stdout, stderr } = await call([], run);
  expect(stdout.split('\n').slice(0, 2)).toEqual([
    'data a-secret-of-the-app \x1b[31m',
    'report [redacted] \\u001b[31m',
  ]);
  expect(JSON.parse(stdout.split('\n').slice(2).join('\n'))).toEqual({ text: '[redacted]' });
  expect(stderr).toMatch(/^a line\n\S+ warn +careful\n$/);
  expect((await call(['--quiet'], run)).stderr).toBe('');
  expect((await call(['--verbose'], run)).stderr).toMatch(/careful\n\S+ info +by the way\n$/);
  const debug = await call(['--debug'], async ({ logger }) => logger.debug('inner'));
  expect(debug.stderr).toMatch(/debug +inner\n$/);
});

test('progress without a terminal is one line in thirty seconds', async () => {
  const now = vi.spyOn(performance, 'now');
  onTestFinished(() => void now.mockRestore());
  const run = async ({ progress }: Invocation): Promise<void> => {
    for (const seconds of [0, 29, 30, 31]) {
      now.mockReturnValue(1000 * seconds);
      progress(`${seconds} s\nand more`);
    }
  };
  expect((await call([], run)).stderr).toBe('30 s  and more\n');
  expect((await call(['--quiet'], run)).stderr).toBe('');
});

test('a terminal has its width, colors, a bar, and no control characters of others', async () => {
  onTerminal(['stdin', 'stdout', 'stderr'], 20);
  const run = async ({ terminal, person, write, print, say, clear, progress, logger }: Invocation) => {
    expect(terminal).toEqual({ width: 20, colours: true });
    expect(person).toEqual({ input: process.stdin, output: process.stderr });
    progress('one\ntwo');
    clear();
    await write('\x1b[31mdata\n');
    await print('an alarm\na line of more than twenty\n', (line) => line.startsWith('an'));
    say('a line of more than twenty\n');
    logger.warn('x');
  };
  const { stdout, stderr } = await call([], run);
  expect(stdout).toBe(
    '\x1b[H\x1b[J\\u001b[31mdata\n\x1b[31man alarm\x1b[39m\na line of more than\n  twenty\n',
  );
  const bar = '\r\x1b[J';
  const shown = `${bar}one\ntwo\r\x1b[1A\x1b[J\x1b[J${bar}a line of more than\n  twenty\n${bar}`;
  expect(stderr.slice(0, shown.length)).toBe(shown);
  expect(stderr.slice(shown.length)).toMatch(/^\S+ warn +x\n$/);
});

test('a person is not asked, and sees no bar, with flags against it', async () => {
  onTerminal(['stdin', 'stdout', 'stderr'], undefined);
  for (const [flag, isAsked, hasBar] of [
    ['--json', false, true],
    ['--quiet', false, false],
    ['--verbose', true, false],
    ['--debug', true, false],
    ['--no-color', true, true],
  ] as const) {
    const { stderr } = await call([flag], async ({ person, terminal, progress }) => {
      expect([flag, person !== null]).toEqual([flag, isAsked]);
      expect(terminal).toEqual({ width: 80, colours: flag !== '--no-color' });
      progress('half');
    });
    expect([flag, stderr]).toEqual([flag, hasBar ? '\r\x1b[Jhalf' : '']);
  }
  const { stderr } = await call(['--verbose'], async ({ say }) => say('x\n'));
  expect(stderr).toBe('x\n');
});

test.for([['stdin'], ['stderr']] as const)(
  'a person with only %s on a terminal is not asked',
  async ([name]) => {
    onTerminal([name], 80);
    await call([], async ({ person, terminal, print }) => {
      expect([person, terminal]).toEqual([null, null]);
      await print('x');
    }).then(({ code, stderr }) => expect([code, stderr]).toEqual([0, '']));
  },
);

test('an error is one document with --json, unless there is output already', async () => {
  const fails = async (): Promise<never> => {
    throw new CrawlhouseError('bad_query', 'a.sql:3: no');
  };
  const alone = await call(['--json'], fails);
  expect(JSON.parse(alone.stdout)).toMatchObject({ error: { code: 'bad_query', file: 'a.sql', line: 3 } });
  const after = await call(['--json'], async ({ printJson }) => {
    await printJson([]);
    return fails();
  });
  expect([after.stdout, alone.code]).toEqual(['[]\n', after.code]);
  expect((await call([], fails)).stdout).toBe('');
  expect((await call([], fails)).stderr).not.toContain('    at ');
  expect((await call(['--debug'], fails)).stderr).toContain('    at ');
});

test('an interrupted command has the exit code of its signal, whatever it throws or returns', async () => {
  for (const [name, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    const thrown = await call([], async () => {
      process.emit(name, name);
      throw new Error('socket closed');
    });
    expect([thrown.code, thrown.stderr]).toEqual([code, expect.stringContaining(`interrupted by ${name}`)]);
    expect(
      (
        await call([], async () => {
          process.emit(name, name);
          return 130;
        })
      ).code,
    ).toBe(code);
  }
  const own = await call([], async () => {
    process.emit('SIGTERM', 'SIGTERM');
    throw new CrawlhouseError('interrupted', 'stopped after the unit');
  });
  expect([own.code, own.stderr]).toEqual([143, expect.stringContaining('stopped after the unit')]);
  expect((await call([], async () => 130)).code).toBe(130);
});

test('a prompt whose terminal has closed ends as after SIGHUP', async () => {
  const closed = Object.assign(new Error('closed'), { code: 'EIO', syscall: 'setRawMode' });
  const fails = (error: Error) =>
    call([], async () => {
      throw error;
    });
  expect((await fails(closed)).code).toBe(129);
  expect((await fails(new Error('around', { cause: closed }))).code).toBe(129);
  for (const other of [{ code: 'EIO' }, { syscall: 'setRawMode' }])
    expect((await fails(Object.assign(new Error('other'), other))).code).not.toBe(129);
});

test('a reader that closes the pipe ends the program without an error; other errors of the output do not', async () => {
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  onTestFinished(() => void exit.mockRestore());
  const before = process.stdout.listenerCount('error');
  await call([], async () => {
    process.stdout.emit('error', Object.assign(new Error('pipe'), { code: 'EPIPE' }));
    expect(exit.mock.calls).toEqual([[0]]);
    process.stdout.emit('error', Object.assign(new Error('closed'), { code: 'EIO' }));
    process.emit('SIGTERM', 'SIGTERM');
    process.stdout.emit('error', Object.assign(new Error('pipe'), { code: 'EPIPE' }));
  });
  expect([exit.mock.calls.length, process.stdout.listenerCount('error')]).toEqual([1, before]);
  for (const code of ['EIO', 'EPIPE'])
    expect(() => ignoreClosedTerminal(Object.assign(new Error('gone'), { code }))).not.toThrow();
  expect(() => ignoreClosedTerminal(Object.assign(new Error('full'), { code: 'ENOSPC' }))).toThrow('full');
});

test('a second signal ends the program at once, with its own exit code', () => {
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  onTestFinished(() => void exit.mockRestore());
  using interruption = new Interruption();
  process.emit('SIGINT', 'SIGINT');
  expect(exit).not.toHaveBeenCalled();
  interruption.hangUp();
  expect([exit.mock.calls, interruption.exitCode]).toEqual([[], 130]);
  process.emit('SIGTERM', 'SIGTERM');
  expect(exit.mock.calls).toEqual([[143]]);
});

test('output waits for a slow reader', async () => {
  const write = vi.spyOn(process.stdout, 'write').mockImplementation(() => false);
  onTestFinished(() => void write.mockRestore());
  let isDone = false;
  shared.run = async (invocation) => {
    const writing = (invocation as Invocation).write('x').then(() => {
      isDone = true;
    });
    await new Promise(setImmediate);
    expect(isDone).toBe(false);
    process.stdout.emit('drain');
    await writing;
    return 0;
  };
  expect([await main(['logs', 'add']), isDone]).toEqual([0, true]);
});
