import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The fenced blocks of a page of docs, by what makes each recognizable: a text that stands in it. */
export async function codeBlocks(page: string): Promise<(text: string) => string> {
  const source = await readFile(join(import.meta.dirname, '../../docs', page), 'utf8');
  const blocks = [...source.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  return (text) => {
    const found = blocks.filter((block) => block.includes(text));
    if (found.length !== 1) throw new Error(`${found.length} blocks of docs/${page} have ${text}`);
    return found[0] ?? '';
  };
}
