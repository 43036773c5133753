import type { ParseArgsOptionsConfig } from 'node:util';
import type { Logger, LogLevel } from '../../core/logs/logger.ts';
import type { Settings } from '../../etl/project/settings/settings.ts';
import type { Dialogue } from './dialogue.ts';

export interface Flag {
  readonly multiple?: boolean;
  /** Its one-letter form. */
  readonly short?: string;
  /** The placeholder for the value in the help, such as `DATE`; a flag without one has no value. */
  readonly value?: string;
  /** The valid values, if there are few. */
  readonly values?: readonly string[];
  readonly help: string;
}

export interface Terminal {
  /** Characters per line. */
  readonly width: number;
  readonly colours: boolean;
}

export interface Invocation {
  readonly positionals: readonly string[];
  text(flag: string): string | undefined;
  texts(flag: string): readonly string[];
  has(flag: string): boolean;
  /** The folder that contains `schedules.yaml`. */
  projectDir(): string;
  settings(): Promise<Settings>;
  readonly workingDirectory: string;
  readonly commands: {
    readonly names: readonly string[];
    /** The command at the beginning of a command line. */
    of(words: readonly string[]): Promise<Command | undefined>;
  };
  readonly logger: Logger;
  logTo(level: LogLevel): Logger;
  readonly signal: AbortSignal;
  /** Null if stdout is not a terminal. */
  readonly terminal: Terminal | null;
  /** Asks the user; null if there is no terminal, and with `--json` or `--quiet`. */
  readonly person: Dialogue | null;
  /** Writes data to stdout unchanged; on a terminal without control characters. Waits for a slow reader. */
  write(text: string): Promise<void>;
  /**
   * Prints a report for people to stdout, with masked secrets and without control characters. Lines are wrapped at the
   * terminal's width, and alarms are red.
   */
  print(text: string, isAlarm?: (line: string) => boolean): Promise<void>;
  /** Clears the screen if stdout is a terminal. */
  clear(): void;
  /** Prints a report for programs as one JSON document to stdout, with secrets masked in its texts. */
  printJson(document: unknown): Promise<void>;
  /** Shows progress: lines that are overwritten; without a terminal, one line every 30 seconds. */
  progress(text: string): void;
  /** Prints everything else to stderr, unless `--quiet`. */
  say(text: string): void;
}

export interface Command {
  /** The words that call it, such as `sandbox start`. */
  readonly name: string;
  readonly summary: string;
  /** Positional arguments as in the help, such as `[PIPELINE…]`; absent: none. */
  readonly positionals?: { readonly shown: string; readonly most: number };
  readonly flags: Readonly<Record<string, Flag>>;
  /** Its log also goes to the project's log files, because it changes the warehouse. */
  readonly keepsLog?: true;
  /** @returns the exit code */
  run(invocation: Invocation): Promise<number>;
}

/** Flags that every command accepts (interface.md, "Commands"). */
export const GLOBAL_FLAGS: Readonly<Record<string, Flag>> = {
  json: { help: 'print one JSON document on stdout' },
  quiet: { help: 'print errors only' },
  verbose: { help: 'print more' },
  debug: { help: 'print everything, with stack traces' },
  'no-color': { help: 'no colors' },
  'project-dir': { value: 'DIR', help: 'the folder with schedules.yaml' },
  help: { short: 'h', help: 'show this help' },
};

export function parseOptions(flags: Readonly<Record<string, Flag>>): ParseArgsOptionsConfig {
  return Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      name,
      {
        type: flag.value === undefined ? 'boolean' : 'string',
        multiple: flag.multiple ?? false,
        ...(flag.short ? { short: flag.short } : {}),
      },
    ]),
  );
}
