import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs, styleText } from 'node:util';
import { catchUncaught } from '../../core/errors/catch-uncaught.ts';
import { ERROR_CODES, EXIT_CODES } from '../../core/errors/error-codes.ts';
import { CrawlhouseError, firstStack, toCrawlhouseError } from '../../core/errors/errors.ts';
import { checkFolder } from '../../core/files/make-folder.ts';
import { packageVersion } from '../../core/host/package-version.ts';
import { createLogger, type Logger, type LogLevel, type LogSink, withSink } from '../../core/logs/logger.ts';
import { redact, redactTexts } from '../../core/secrets/redact.ts';
import { cutToWidth, wrapToWidth } from '../../core/text/display-width.ts';
import { stringifyJson } from '../../core/text/json.ts';
import { didYouMean } from '../../core/text/nearest-name.ts';
import { visible, visibleLine } from '../../core/text/visible.ts';
import { setCloudVariables } from '../../etl/project/settings/command-environment.ts';
import { findProject, projectLog } from '../../etl/project/settings/project.ts';
import { asCalled } from './as-called.ts';
import { type Command, GLOBAL_FLAGS, type Invocation, parseOptions, type Terminal } from './command.ts';
import { COMMAND_NAMES, familyOf } from './command-names.ts';
import { allCommands, commandOf } from './commands.ts';
import { commandHelp, groupHelp, programHelp, usageLine } from './help.ts';
import { errorDocument, printError } from './print-error.ts';

/** Minimum time between progress lines on outputs that cannot overwrite a line. */
const APART_MS = 30_000;

/** The exit code of each signal that ends the program: 128 plus the signal's number. */
const SIGNAL_CODES = { SIGHUP: 129, SIGINT: EXIT_CODES.interrupted, SIGTERM: 143 } as const;

type Ending = keyof typeof SIGNAL_CODES;

const ENDINGS = Object.keys(SIGNAL_CODES) as Ending[];

/** Commands are not wrapped, so that they can be copied; the terminal handles long lines. */
const COMMAND = /^ *(to do|Try|Next): /;

/** A character that never occurs in a command line. */
const ARGUMENT = '\0';
/** Clears the lines of a progress bar. The cursor is on its first line. */
const CLEAR_BAR = '\r\x1b[J';

/** Whether stdout already has output; a JSON document must be the only output. */
let written = false;

/** Runs the program with its arguments and returns the exit code (interface.md, "Exit codes"). */
export async function main(argv: readonly string[]): Promise<number> {
  const debug = argv.includes('--debug');
  using interruption = new Interruption();
  written = false;
  // A reader that closes the pipe, such as `head`, is not an error.
  const hangUp = (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EPIPE' && !interruption.signal.aborted) process.exit(0);
    ignoreClosedTerminal(error);
  };
  process.stdout.on('error', hangUp);
  let command: Command | undefined;
  try {
    if (argv[0] === '--version') {
      process.stdout.write(`${await packageVersion()}\n`);
      return 0;
    }
    const named = argv[0] === 'help' ? argv.slice(1) : argv;
    command = await commandOf(named);
    if (!command) {
      const [group = '', ...after] = named;
      const isGroupHelp = after.length > 0 ? after.every(isHelp) : named !== argv;
      const family = isGroupHelp ? familyOf(group) : [];
      if (family.length > 0) {
        const commands = (await allCommands()).filter(({ name }) => family.includes(name));
        process.stdout.write(asCalled(groupHelp(group, commands)));
        return 0;
      }
      if (group !== '' && !isHelp(group)) throw unknownCommand(named);
      process.stdout.write(asCalled(programHelp(await allCommands())));
      return argv.length === 0 ? 2 : 0;
    }
    const rest = named.slice(command.name.split(' ').length);
    const end = rest.indexOf('--');
    if (named !== argv || rest.slice(0, end < 0 ? rest.length : end).some(isHelp)) {
      process.stdout.write(commandHelp(command));
      return 0;
    }
    const invocation = invoke(command, rest, interruption.signal);
    const onError = (error: CrawlhouseError): void => {
      if (isClosedTerminal(error)) interruption.hangUp();
      const message = 'ended by an uncaught error';
      invocation.logger.error(message, { error: error.message, ...firstStack(error) });
      if (argv.includes('--json') && !written) writeSync(1, errorDocument(error));
      printError(error, debug, error.cause ?? error);
      process.exit(interruption.signal.aborted ? interruption.exitCode : error.exitCode);
    };
    await using _telemetry = command.keepsLog ? await telemetry(invocation.logger) : undefined;
    const { run } = command;
    const code = await catchUncaught('process', onError, () => run(invocation));
    if (command.keepsLog) await keepMetrics(invocation);
    return code === EXIT_CODES.interrupted ? interruption.exitCode : code;
  } catch (thrown) {
    if (isClosedTerminal(thrown)) interruption.hangUp();
    const isOwn = thrown instanceof CrawlhouseError && thrown.code === 'interrupted';
    const error = withCommandHelp(
      toCrawlhouseError(interruption.signal.aborted && !isOwn ? interruption.signal.reason : thrown),
      command,
    );
    if (argv.includes('--json') && !written) await writeOut(errorDocument(error));
    printError(error, debug, thrown);
    return interruption.signal.aborted ? interruption.exitCode : error.exitCode;
  } finally {
    process.stdout.off('error', hangUp);
  }
}

/** Adds the help of the command to a usage error without a hint. */
function withCommandHelp(error: CrawlhouseError, command: Command | undefined): CrawlhouseError {
  if (command === undefined || error.hint !== ERROR_CODES.usage.hint) return error;
  const hint = `crawlhouse help ${command.name}`;
  return new CrawlhouseError(error.code, error.message, { cause: error, hint });
}

/** Loaded only for long-running commands. */
async function telemetry(logger: Logger): Promise<AsyncDisposable> {
  const { startTelemetry } = await import('./start-telemetry.ts');
  return await startTelemetry(logger);
}

/** Writes the metrics after the command, if a file for them is set. */
async function keepMetrics(invocation: Invocation): Promise<void> {
  const settings = await invocation.settings();
  if (settings.metrics_file === undefined) return;
  const { writeMetrics } = await import('../operations/metrics/read-metrics.ts');
  await writeMetrics(settings, invocation.logger);
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

function unknownCommand(argv: readonly string[]): CrawlhouseError {
  const family = familyOf(argv[0]);
  const known = (family.length > 0 ? family : COMMAND_NAMES).join(', ');
  const name = family.length > 0 ? argv.slice(0, 2).join(' ') : (argv[0] ?? '');
  return new CrawlhouseError('usage', `there is no command ${name}`, {
    hint: `${didYouMean(name, COMMAND_NAMES)}commands: ${known}`,
  });
}

function invoke(command: Command, argv: readonly string[], signal: AbortSignal): Invocation {
  const flags = { ...GLOBAL_FLAGS, ...command.flags };
  const { values, positionals } = parse(command, argv, flags);
  const most = command.positionals?.most ?? 0;
  if (positionals.length > most) {
    throw new CrawlhouseError('usage', `unexpected argument ${positionals[most]}`, {
      hint: usageLine(command),
    });
  }
  const level: LogLevel = values.debug ? 'debug' : values.quiet ? 'error' : values.verbose ? 'info' : 'warn';
  const workingDirectory = process.cwd();
  const given = values['project-dir'];
  const projectDir = (): string =>
    findProject(typeof given === 'string' ? given : undefined, workingDirectory);
  const isAsked =
    process.stdin.isTTY && process.stderr.isTTY && values.json !== true && values.quiet !== true;
  let toFile: LogSink | undefined;
  const logTo = (least: LogLevel): Logger =>
    withSink(
      // Replaces the bar, which is drawn again below.
      createLogger(least, (line) => process.stderr.write(`${showsBar(values) ? CLEAR_BAR : ''}${line}\n`)),
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
      // Loaded here because usage errors, help and the sandbox need no settings.
      const { loadSettings } = await import('../settings/load-settings.ts');
      const settings = await loadSettings(projectDir(), process.env);
      checkFolder(settings.state_dir, 'state_dir', command.keepsLog !== true);
      checkFolder(dirname(settings.warehouse), 'warehouse', command.keepsLog !== true);
      await setCloudVariables(settings.projectDir);
      if (command.keepsLog)
        toFile ??= projectLog(settings, (error) =>
          logTo('warn').warn('could not write the log file', { error: toCrawlhouseError(error).message }),
        );
      return settings;
    },
    workingDirectory,
    commands: { names: COMMAND_NAMES, of: commandOf },
    logger: logTo(level),
    logTo,
    signal,
    person: isAsked ? { input: process.stdin, output: process.stderr } : null,
    ...outputOf(values),
    ...wordsTo(values),
  };
}

type FlagValues = ReturnType<typeof parse>['values'];

/** Returns whether progress is a bar on the terminal, which other output has to clear. */
function showsBar({ quiet, verbose, debug }: FlagValues): boolean {
  return process.stderr.isTTY === true && quiet !== true && verbose !== true && debug !== true;
}

function outputOf(
  values: FlagValues,
): Pick<Invocation, 'terminal' | 'write' | 'print' | 'clear' | 'printJson'> {
  const terminal = process.stdout.isTTY
    ? {
        width: process.stdout.columns || 80,
        colours: values['no-color'] !== true && process.stdout.hasColors(),
      }
    : null;
  return {
    terminal,
    write: (text) => writeOut(terminal === null ? text : visible(text)),
    print: (text, isAlarm) => {
      const shown = visible(redact(asCalled(text)));
      return writeOut(fitTerminal(shown, terminal, isAlarm));
    },
    clear: () => {
      if (terminal !== null) process.stdout.write('\x1b[H\x1b[J');
    },
    printJson: (document) => writeOut(`${visible(stringifyJson(redactTexts(document), 2))}\n`),
  };
}

/** Messages for people, on standard error. */
function wordsTo(values: FlagValues): Pick<Invocation, 'progress' | 'say'> {
  const shows = showsBar(values);
  const lines = progressLines((line) => {
    if (values.quiet !== true) process.stderr.write(`${visibleLine(redact(line))}\n`);
  });
  return {
    progress: (text) => {
      if (!shows) return lines(text.replaceAll('\n', '  '));
      process.stderr.write(progressBar(text.split('\n').map(redact), process.stderr.columns || 80));
    },
    say: (text) => {
      if (values.quiet === true) return;
      const said = visible(redact(asCalled(text)));
      const { isTTY, columns } = process.stderr;
      const fitting = isTTY ? fitTerminal(said, { width: columns || 80, colours: false }) : said;
      process.stderr.write(`${shows ? CLEAR_BAR : ''}${fitting}`);
    },
  };
}

function parse(
  command: Command,
  argv: readonly string[],
  flags: Command['flags'],
): { values: Record<string, unknown>; positionals: string[] } {
  try {
    const { values, positionals, tokens } = parseArgs({
      args: joinNumbers(argv, flags),
      options: parseOptions(flags),
      allowPositionals: true,
      strict: true,
      tokens: true,
    });
    const given = new Map<string, string | undefined>();
    for (const token of tokens) {
      if (token.kind !== 'option' || flags[token.name]?.multiple) continue;
      const { name, value } = token;
      if (given.has(name) && given.get(name) !== value) throw new Error(`--${name} is given twice`);
      given.set(name, value);
    }
    return { values, positionals: positionals.map((positional) => positional.replace(ARGUMENT, '')) };
  } catch (cause) {
    const message = cause instanceof Error ? (cause.message.split('. ')[0] ?? cause.message) : String(cause);
    const known = Object.keys(flags).map((flag) => `--${flag}`);
    const unknown = /^Unknown option '(.+)'$/.exec(message)?.[1];
    const meant = unknown === undefined ? '' : didYouMean(unknown, known);
    throw new CrawlhouseError('usage', message, {
      cause,
      hint: `${meant}flags of crawlhouse ${command.name}: ${known.join(', ')}`,
    });
  }
}

/** Turns `--crawl -1` into `--crawl=-1`, which parseArgs accepts as a value; elsewhere, marks `-1` as an argument. */
function joinNumbers(argv: readonly string[], flags: Command['flags']): string[] {
  const joined: string[] = [];
  for (const word of argv) {
    const before = joined.at(-1) ?? '';
    if (!/^-\d+$/.test(word)) joined.push(word);
    else if (flags[before.replace(/^--/, '')]?.value !== undefined)
      joined[joined.length - 1] = `${before}=${word}`;
    else joined.push(`${ARGUMENT}${word}`);
  }
  return joined;
}

async function writeOut(text: string): Promise<void> {
  written = true;
  // Lines of a progress bar below the cursor.
  if (process.stdout.isTTY && process.stderr.isTTY) process.stderr.write('\x1b[J');
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/**
 * Wraps lines that are wider than the terminal between words, and shows alarms in red. Without a terminal, the text is
 * unchanged.
 */
export function fitTerminal(
  text: string,
  terminal: Terminal | null,
  isAlarm: (line: string) => boolean = () => false,
): string {
  if (terminal === null) return text;
  const { width, colours } = terminal;
  return text
    .split('\n')
    .flatMap((line) => {
      const indent = `${/^ */.exec(line)?.[0]}  `;
      const fitting = COMMAND.test(line) ? [line] : wrapToWidth(line, width, indent);
      if (!colours || !isAlarm(line)) return fitting;
      return fitting.map((one) => styleText('red', one, { validateStream: false }));
    })
    .join('\n');
}

/** Handles the signals that end the program: the first asks everything to end, a second one exits immediately. */
export class Interruption implements Disposable {
  readonly #controller = new AbortController();
  #received: Ending = 'SIGINT';

  constructor() {
    for (const name of ENDINGS) process.on(name, this.#stop);
  }

  /** Aborted by the first signal, with a CrawlhouseError `interrupted` as its reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The exit code after an interruption: 129 after SIGHUP, 143 after SIGTERM, else 130. */
  get exitCode(): number {
    return SIGNAL_CODES[this.#received];
  }

  /** Acts as after SIGHUP, for a terminal that closed without one. */
  hangUp(): void {
    if (!this.signal.aborted) this.#stop('SIGHUP');
  }

  readonly #stop = (name: NodeJS.Signals): void => {
    const received = ENDINGS.find((one) => one === name);
    if (received === undefined) return;
    if (this.signal.aborted) process.exit(SIGNAL_CODES[received]);
    this.#received = received;
    this.#controller.abort(new CrawlhouseError('interrupted', `interrupted by ${received}`));
  };

  [Symbol.dispose](): void {
    for (const name of ENDINGS) process.off(name, this.#stop);
  }
}

/** Returns the output that replaces the previous progress, and leaves the cursor on its first line. */
export function progressBar(lines: readonly string[], width: number): string {
  const shown = lines.map((line) => cutToWidth(visibleLine(line), width - 1));
  return `${CLEAR_BAR}${shown.join('\n')}${shown.length > 1 ? `\r\x1b[${shown.length - 1}A` : ''}`;
}

/** Writes progress at most every 30 seconds, to keep logs short. */
export function progressLines(
  write: (line: string) => void,
  now: () => number = performance.now.bind(performance),
): (text: string) => void {
  let last: number | undefined;
  return (text) => {
    last ??= now();
    if (now() - last < APART_MS) return;
    last = now();
    write(text);
  };
}

/**
 * Ignores errors of output without a reader. A closed terminal sends SIGHUP, which ends the work in order. Writes until
 * then fail later, even after the last command has ended.
 *
 * @throws any other error of the output
 */
export function ignoreClosedTerminal(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EIO' && error.code !== 'EPIPE') throw error;
}

/** Returns whether a prompt failed because its terminal closed: only the shell may receive the SIGHUP. */
function isClosedTerminal(error: unknown): boolean {
  const { code, syscall, cause } = (error ?? {}) as Record<string, unknown>;
  return (code === 'EIO' && syscall === 'setRawMode') || (cause !== undefined && isClosedTerminal(cause));
}
