import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Write } from './write-result.ts';

/** Writes texts to a file, at the speed of the disk. */
export async function withTextFile<T>(path: string, use: (write: Write) => Promise<T>): Promise<T> {
  const stream = createWriteStream(path, { flags: 'wx' });
  // A full disk may raise an error between two writes; the next write, or the end, throws it.
  stream.on('error', () => {});
  try {
    const result = await use(async (text) => {
      if (stream.errored) throw stream.errored;
      if (!stream.write(text)) await once(stream, 'drain');
    });
    stream.end();
    await finished(stream);
    return result;
  } finally {
    stream.destroy();
    // After an early error, the file may still be opening. Nobody can remove it before it is closed.
    await finished(stream).catch(() => {});
  }
}
