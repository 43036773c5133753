import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { findProject } from '../config/project.ts';
import { projectLog } from '../config/project-log.ts';
import { loadSettings } from '../config/settings.ts';
import { EXIT_CODES } from '../core/error-codes.ts';
import { CrawlhouseError, toCrawlhouseError } from '../core/errors.ts';
import { createLogger, type Logger, type LogLevel, type LogSink, withSink } from '../core/logger.ts';
import { redact } from '../core/redact.ts';
import { type Command, GLOBAL_FLAGS, type Invocation, parseOptions } from './command.ts';
import { COMMANDS } from './commands.ts';
import { commandHelp, programHelp, usageLine } from './help.ts';
import { printError } from './print-error.ts';

/** Runs the program with its arguments; the exit code says how it went (interface.md, "Exit codes"). */
export async function main(argv: readonly string[]): Promise<number> {
  const debug = argv.includes('--debug');
  const interruption = new AbortController();
  const stopListening = abortOnSignals(interruption);
  try {
    const command = findCommand(argv);
    if (!command) {
      const asked = argv.length === 0 || argv[0] === '--help' || argv[0] === 'help';
      if (!asked) throw unknownCommand(argv);
      process.stdout.write(programHelp(COMMANDS));
      return argv.length === 0 ? 2 : 0;
    }
    const rest = argv.slice(command.name.split(' ').length);
    if (rest.includes('--help')) {
      process.stdout.write(commandHelp(command));
      return 0;
    }
    const code = await command.run(invoke(command, rest, interruption.signal));
    return code === EXIT_CODES.interrupted ? interruptedCode(interruption.signal) : code;
  } catch (thrown) {
    const error = toCrawlhouseError(interruption.signal.aborted ? interruption.signal.reason : thrown);
    printError(error, debug, thrown);
    return interruption.signal.aborted ? interruptedCode(interruption.signal) : error.exitCode;
  } finally {
    stopListening();
  }
}

function findCommand(argv: readonly string[]): Command | undefined {
  return COMMANDS.find((command) => command.name.split(' ').every((word, index) => argv[index] === word));
}

function unknownCommand(argv: readonly string[]): CrawlhouseError {
  const family = COMMANDS.filter((command) => command.name.startsWith(`${argv[0]} `));
  const known = (family.length > 0 ? family : COMMANDS).map((command) => command.name).join(', ');
  return new CrawlhouseError('usage', `there is no command ${argv[0]}`, { hint: `commands: ${known}` });
}

function invoke(command: Command, argv: readonly string[], signal: AbortSignal): Invocation {
  const flags = { ...GLOBAL_FLAGS, ...command.flags };
  const { values, positionals } = parse(command, argv, flags);
  if (positionals.length > command.positionals.most) {
    throw new CrawlhouseError('usage', `unexpected argument ${positionals[command.positionals.most]}`, {
      hint: usageLine(command),
    });
  }
  const level: LogLevel = values.debug ? 'debug' : values.quiet ? 'error' : values.verbose ? 'info' : 'warn';
  const workingDirectory = process.cwd();
  const given = values['project-dir'];
  const shows =
    process.stderr.isTTY === true &&
    values.quiet !== true &&
    values.verbose !== true &&
    values.debug !== true;
  const projectDir = (): string =>
    findProject(typeof given === 'string' ? given : undefined, workingDirectory);
  let toFile: LogSink | undefined;
  const logTo = (least: LogLevel): Logger =>
    withSink(
      createLogger(least, (line) => process.stderr.write(`${line}\n`)),
      'info',
      (record) => toFile?.(record),
    );
  return {
    positionals,
    text: (flag) => (typeof values[flag] === 'string' ? values[flag] : undefined),
    texts: (flag) => (Array.isArray(values[flag]) ? values[flag].map(String) : []),
    has: (flag) => values[flag] === true,
    projectDir,
    settings: async () => {
      const settings = await loadSettings(projectDir(), process.env);
      if (command.keepsLog) toFile ??= projectLog(settings);
      return settings;
    },
    workingDirectory,
    logger: logTo(level),
    logTo,
    signal,
    terminal: process.stdout.isTTY
      ? {
          width: process.stdout.columns || 80,
          colours: values['no-color'] !== true && process.stdout.hasColors(),
        }
      : null,
    write: writeOut,
    progress: (text) => {
      if (shows) process.stderr.write(`\r\x1b[K${redact(text).slice(0, (process.stderr.columns || 80) - 1)}`);
    },
    say: (text) => {
      if (values.quiet !== true) process.stderr.write(`${shows ? '\r\x1b[K' : ''}${redact(text)}`);
    },
  };
}

function parse(
  command: Command,
  argv: readonly string[],
  flags: Command['flags'],
): { values: Record<string, unknown>; positionals: string[] } {
  try {
    return parseArgs({ args: [...argv], options: parseOptions(flags), allowPositionals: true, strict: true });
  } catch (cause) {
    const message = cause instanceof Error ? (cause.message.split('. ')[0] ?? cause.message) : String(cause);
    throw new CrawlhouseError('usage', message, {
      cause,
      hint: `flags of crawlhouse ${command.name}: ${Object.keys(flags)
        .map((flag) => `--${flag}`)
        .join(', ')}`,
    });
  }
}

async function writeOut(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** The first signal asks everything to end; a second one does not wait. */
function abortOnSignals(controller: AbortController): () => void {
  const stop = (signal: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143);
    controller.abort(
      new CrawlhouseError('interrupted', `interrupted by ${signal}; the next run goes on from there`),
    );
  };
  // A reader that goes away, such as `head`, is no fault of ours.
  const hangUp = (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  process.stdout.on('error', hangUp);
  return () => {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    process.stdout.off('error', hangUp);
  };
}

function interruptedCode(signal: AbortSignal): number {
  return String((signal.reason as Error).message).includes('SIGTERM') ? 143 : 130;
}
