import { type Command, type Flag, GLOBAL_FLAGS } from './command.ts';
import { allCommands } from './commands.ts';
import { flagWords, usageLine } from './help.ts';

const FILES = [
  ['crawlhouse.yaml', 'settings; each is also a variable CRAWLHOUSE_KEY'],
  ['.env', 'variables, if present; the environment overrides them'],
  ['schedules.yaml', 'schedules; the folder of this file is the project folder'],
  ['segments.yaml', 'segments of pages, if present'],
  ['pipelines/', 'one file per dataset'],
  ['sql/', 'models and saved questions'],
  ['.crawlhouse/', 'the state between runs'],
  ['warehouse.duckdb', 'the published warehouse'],
] as const;

const EXIT_CODES = [
  ['0', 'done'],
  ['1', 'a bug in crawlhouse'],
  ['2', 'wrong use or configuration: nothing was tried'],
  ['3', 'some units failed and can be tried again; the others are published'],
  ['4', 'data refused: these units keep their previous rows; the others are published'],
  ['5', 'the service rejects the credentials, or forbids everything'],
  ['6', 'another process holds the lock: nothing was tried, try again'],
  ['130, 143', 'interrupted; the next run continues'],
] as const;

/** Returns the manual page in man(7) format, from the table of commands; `npm run build` writes it. */
export async function manPage(): Promise<string> {
  const commands = await allCommands();
  return [
    '.\\" Written by npm run build.',
    '.TH CRAWLHOUSE 1 "" crawlhouse "User commands"',
    '.SH NAME',
    `crawlhouse ${escaped('-')} load a crawl-analysis service into a DuckDB warehouse`,
    '.SH SYNOPSIS',
    '.B crawlhouse',
    escaped('COMMAND [ARGUMENTS] [FLAGS]'),
    '.SH DESCRIPTION',
    'crawlhouse loads the data of a website crawl-analysis service into a DuckDB warehouse that you own.',
    'Every row is counted on its way from the service to the query.',
    '.SH COMMANDS',
    ...commands.flatMap(commandLines),
    '.SH FLAGS OF EVERY COMMAND',
    ...flagLines(GLOBAL_FLAGS),
    '.SH FILES',
    ...FILES.flatMap(([name, what]) => entry(name, what)),
    '.SH EXIT STATUS',
    ...EXIT_CODES.flatMap(([code, what]) => entry(code, what)),
    '',
  ].join('\n');
}

function commandLines(command: Command): string[] {
  return [`.SS ${escaped(usageLine(command))}`, text(command.summary), ...flagLines(command.flags)];
}

function flagLines(flags: Readonly<Record<string, Flag>>): string[] {
  return Object.entries(flags).flatMap((flag) => entry(...flagWords(flag, ' …')));
}

function entry(term: string, what: string): string[] {
  return ['.TP', `.B ${escaped(term)}`, text(what)];
}

/** Returns a line of text; a leading dot or apostrophe is escaped, because it would begin a request. */
function text(line: string): string {
  return escaped(line).replace(/^(?=[.'])/, '\\&');
}

function escaped(line: string): string {
  return line
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll('…', '\\[u2026]');
}
