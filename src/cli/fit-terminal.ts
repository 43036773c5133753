import { styleText } from 'node:util';
import { cutToWidth } from '../core/display-width.ts';
import type { Terminal } from './command.ts';

/** Cuts each line to the terminal's width and shows those that are an alarm in red; as it is where there is no terminal. */
export function fitTerminal(
  text: string,
  terminal: Terminal | null,
  isAlarm: (line: string) => boolean,
): string {
  if (terminal === null) return text;
  const { width, colours } = terminal;
  return text
    .split('\n')
    .map((line) => {
      const fitting = cutToWidth(line, width);
      return colours && isAlarm(line) ? styleText('red', fitting, { validateStream: false }) : fitting;
    })
    .join('\n');
}
