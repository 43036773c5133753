import { type Command, type Flag, GLOBAL_FLAGS } from './command.ts';

export function programHelp(commands: readonly Command[]): string {
  return [
    'crawlhouse: the data of a website crawl-analysis service in a DuckDB warehouse you own',
    '',
    'Usage: crawlhouse COMMAND [ARGUMENTS]',
    '',
    'Commands:',
    ...commandLines(commands),
    '',
    'Everywhere:',
    ...flagLines(GLOBAL_FLAGS),
    '',
    'crawlhouse help COMMAND describes a command; crawlhouse --version prints the version.',
    '',
  ].join('\n');
}

/** Returns the help for a common first word of several commands, such as `logs`. */
export function groupHelp(group: string, commands: readonly Command[]): string {
  return [
    `Usage: crawlhouse ${group} COMMAND [ARGUMENTS]`,
    '',
    'Commands:',
    ...commandLines(commands),
    '',
    'Everywhere:',
    ...flagLines(GLOBAL_FLAGS),
    '',
    `crawlhouse help ${group} COMMAND describes a command.`,
    '',
  ].join('\n');
}

function commandLines(commands: readonly Command[]): string[] {
  const width = Math.max(...commands.map((command) => command.name.length));
  return commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
}

export function commandHelp(command: Command): string {
  const own = Object.keys(command.flags).length > 0 ? ['', 'Flags:', ...flagLines(command.flags)] : [];
  return [
    `crawlhouse ${command.name}: ${command.summary}`,
    '',
    `Usage: ${usageLine(command)}`,
    ...own,
    '',
    'Everywhere:',
    ...flagLines(GLOBAL_FLAGS),
    '',
  ].join('\n');
}

export function usageLine(command: Command): string {
  const flags = Object.keys(command.flags).length > 0 ? ' [FLAGS]' : '';
  const positionals = command.positionals ? ` ${command.positionals.shown}` : '';
  return `crawlhouse ${command.name}${positionals}${flags}`;
}

function flagLines(flags: Readonly<Record<string, Flag>>): string[] {
  const shown = Object.entries(flags).map((flag) => flagWords(flag, '…'));
  const width = Math.max(...shown.map(([flag]) => flag.length));
  return shown.map(([flag, help]) => `  ${flag.padEnd(width)}  ${help}`);
}

/** A flag with its help text. @param more text after a flag that may be repeated */
export function flagWords([name, flag]: readonly [string, Flag], more: string): readonly [string, string] {
  const short = flag.short ? `-${flag.short}, ` : '';
  const help = flag.values ? `${flag.help}: ${flag.values.join(', ')}` : flag.help;
  return [`${short}--${name}${flag.value ? ` ${flag.value}` : ''}${flag.multiple ? more : ''}`, help];
}
