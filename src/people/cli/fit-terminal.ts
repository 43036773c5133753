import { styleText } from 'node:util';
import { wrapToWidth } from '../../core/text/display-width.ts';
import type { Terminal } from './command.ts';

/** A command is not broken, so that it can be copied; the terminal does what it does with long lines. */
const COMMAND = /^ *(to do|Try|Next): /;

/**
 * Breaks each line that is longer than the terminal's width between its words, and shows alarms in red; as it is where
 * there is no terminal.
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
