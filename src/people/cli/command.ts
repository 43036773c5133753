import type { ParseArgsOptionsConfig } from 'node:util';
import type { Logger, LogLevel } from '../../core/logs/logger.ts';
import type { Settings } from '../../project/settings/settings.ts';
import type { Dialogue } from './questions.ts';

/** A flag of a command, with what `--help` says of it. */
export interface Flag {
  readonly multiple?: boolean;
  /** One letter that stands for it. */
  readonly short?: string;
  /** The placeholder for the value in the help, such as `DATE`; a flag without one takes no value. */
  readonly value?: string;
  /** The values that work, where there are few. */
  readonly values?: readonly string[];
  readonly help: string;
}

export interface Terminal {
  /** Characters in a line. */
  readonly width: number;
  readonly colours: boolean;
}

export interface Invocation {
  readonly positionals: readonly string[];
  text(flag: string): string | undefined;
  texts(flag: string): readonly string[];
  has(flag: string): boolean;
  /** The folder that holds `schedules.yaml`. */
  projectDir(): string;
  settings(): Promise<Settings>;
  readonly workingDirectory: string;
  readonly commands: {
    readonly names: readonly string[];
    /** The one that a command line begins with. */
    of(words: readonly string[]): Promise<Command | undefined>;
  };
  readonly logger: Logger;
  /** A logger with another level of what stderr shows. */
  logTo(level: LogLevel): Logger;
  readonly signal: AbortSignal;
  /** Null where stdout is none. */
  readonly terminal: Terminal | null;
  /** Who can be asked; null where nobody sits at a terminal, and with `--json` or `--quiet`. */
  readonly person: Dialogue | null;
  /** Data: stdout, as they are; on a terminal without control characters. Waits while the reader is slow. */
  write(text: string): Promise<void>;
  /**
   * A report for people: stdout, secrets masked, without control characters. Lines are broken at the terminal's width,
   * and alarms are red.
   */
  print(text: string, isAlarm?: (line: string) => boolean): Promise<void>;
  /** Clears the screen of a terminal; nothing where stdout is none. */
  clear(): void;
  /** A report for programs, as one JSON document: stdout, secrets masked in its texts. */
  printJson(document: unknown): Promise<void>;
  /** How far something is: lines that are written over; without a terminal, all on one line every 30 seconds. */
  progress(text: string): void;
  /** Everything else: stderr, unless `--quiet`. */
  say(text: string): void;
}

/** One command of the program: its words, its flags, what it does. */
export interface Command {
  /** The words that call it, such as `sandbox start`. */
  readonly name: string;
  readonly summary: string;
  /** Positional arguments as the help shows them, such as `[PIPELINE…]`; absent: it takes none. */
  readonly positionals?: { readonly shown: string; readonly most: number };
  readonly flags: Readonly<Record<string, Flag>>;
  /** Its log also goes to the project's log files, because it changes the warehouse. */
  readonly keepsLog?: true;
  /** @returns the exit code */
  run(invocation: Invocation): Promise<number>;
}

/** Flags that every command takes (interface.md, "Commands"). */
export const GLOBAL_FLAGS: Readonly<Record<string, Flag>> = {
  json: { help: 'print one JSON document on stdout' },
  quiet: { help: 'print errors only' },
  verbose: { help: 'say more' },
  debug: { help: 'print everything, with stack traces' },
  'no-color': { help: 'no colours' },
  'project-dir': { value: 'DIR', help: 'the folder that holds schedules.yaml' },
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
