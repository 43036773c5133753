import { createReadStream } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

/**
 * The lines of a text file with their numbers, from 1. A line ends at `\n` only: `node:readline` also breaks at U+2028,
 * which JSON allows inside a string.
 */
export async function* readLines(
  file: string,
): AsyncGenerator<{ readonly line: string; readonly number: number }> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let number = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
    const lines = (rest + decoder.write(chunk as Buffer)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield { line, number: ++number };
  }
  rest += decoder.end();
  if (rest !== '') yield { line: rest, number: number + 1 };
}
