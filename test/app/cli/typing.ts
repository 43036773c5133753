import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { Dialogue } from '../../../src/app/cli/dialogue.ts';
import { until } from '../../support/until.ts';

/** A person at a terminal, who types a line when a question is there. */
export function typing() {
  const input = new PassThrough();
  const output = new PassThrough().setEncoding('utf8');
  let seen = '';
  output.on('data', (text: string) => {
    seen += text;
  });
  onTestFinished(() => void input.end());
  let from = 0;
  const answer = async (question: string, line: string): Promise<void> => {
    await until(async () => seen.indexOf(question, from) >= 0 || undefined);
    from = seen.indexOf(question, from) + question.length;
    input.write(`${line}\r`);
  };
  const person: Dialogue = { input, output };
  return { person, input, answer, seen: () => seen };
}
